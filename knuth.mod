!mod$ v1 sum:57da8168780e52bc
module knuth
contains
recursive function a(k_in,x1,x2,x3,x4,x5) result(value)
integer(4),intent(in)::k_in
interface
recursive function x1()
integer(4)::x1
end
end interface
interface
recursive function x2()
integer(4)::x2
end
end interface
interface
recursive function x3()
integer(4)::x3
end
end interface
interface
recursive function x4()
integer(4)::x4
end
end interface
interface
recursive function x5()
integer(4)::x5
end
end interface
integer(4)::value
end
function one()
integer(4)::one
end
function minus_one()
integer(4)::minus_one
end
function zero()
integer(4)::zero
end
end
