! Calls a procedure. This is in a separate file, so that no compiler knows the
! procedure.
integer function apply(f, x)
  implicit none
  integer, external :: f
  integer, intent(in) :: x
  apply = f(x)
end function
