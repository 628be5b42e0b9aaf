! A module in its own file: callers see only interfaces.
module elsewhere
contains
  subroutine show(x)
    real, intent(inout) :: x
    print *, x
    x = x + 1
  end subroutine
  subroutine describe(a, b)
    real, intent(in) :: a(:)
    real, allocatable, target, intent(inout) :: b(:)
    print *, a, sum(b)
    b = b * 2
  end subroutine
end module
