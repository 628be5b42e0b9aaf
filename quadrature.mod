!mod$ v1 sum:f0da05918fb44d81
module quadrature
integer(4),parameter::dp=8_4
intrinsic::kind
abstract interface
function integrand(x)
real(8),intent(in)::x
real(8)::integrand
end
end interface
contains
recursive function adapt(f,a,b,tolerance,depth) result(s)
procedure(integrand)::f
real(8),intent(in)::a
real(8),intent(in)::b
real(8),intent(in)::tolerance
integer(4),intent(in)::depth
real(8)::s
end
function double_integral(power)
integer(4),intent(in)::power
real(8)::double_integral
end
function line(x,power)
real(8),intent(in)::x
integer(4),intent(in)::power
real(8)::line
end
end
