!mod$ v1 sum:0307abf21876cfc8
module work
contains
function apply(f,x)
interface
function f(x)
integer(4),intent(in)::x
integer(4)::f
end
end interface
integer(4),intent(in)::x
integer(4)::apply
end
function host(thread,round)
integer(4),intent(in)::thread
integer(4),intent(in)::round
integer(4)::host
end
end
