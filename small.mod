!mod$ v1 sum:ff1aa08a9464f9ba
module small
contains
function area(f,a,b)
interface
function f(x)
real(4),intent(in)::x
real(4)::f
end
end interface
real(4),intent(in)::a
real(4),intent(in)::b
real(4)::area
end
function first(k)
real(4),intent(in)::k
real(4)::first
end
function second(k)
real(4),intent(in)::k
real(4)::second
end
end
