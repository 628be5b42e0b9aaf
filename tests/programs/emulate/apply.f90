! Calls a procedure; in a file of its own, so that no compiler sees which one.
integer function apply(f, x)
  implicit none
  integer, external :: f
  integer, intent(in) :: x
  apply = f(x)
end function
