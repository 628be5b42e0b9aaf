! A module, in a file of its own: callers see interfaces only.
module elsewhere
contains
  subroutine show(x)
    real, intent(inout) :: x
    print '(f6.1)', x
  end subroutine
  subroutine describe(a, b)
    real, intent(in) :: a(:)
    real, allocatable, target, intent(inout) :: b(:)
    print *, a, b
  end subroutine
end module
