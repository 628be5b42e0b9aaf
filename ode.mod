!mod$ v1 sum:b0949469d9b71fdc
module ode
integer(4),parameter::dp=8_4
intrinsic::kind
abstract interface
subroutine derivative(t,y,dy)
real(8),intent(in)::t
real(8),intent(in)::y(:)
real(8),intent(out)::dy(:)
end
end interface
contains
subroutine rk4(f,t,y,h,steps)
procedure(derivative)::f
real(8),intent(inout)::t
real(8),intent(inout)::y(:)
real(8),intent(in)::h
integer(4),intent(in)::steps
end
subroutine swing(damping)
real(8),intent(in)::damping
end
end
