! Procedures that retain an argument's address, as their interfaces permit, and one that changes the retained variable.
module keeper
  implicit none
  real, pointer :: kept => null()
  type :: box
    real, pointer :: inside => null()
    real :: own = 0
  end type
  interface keep
    module procedure keep_target, keep_array
  end interface
contains
  subroutine keep_target(n, x)
    integer, intent(in) :: n
    real, target :: x
    x = x + n
    kept => x
  end subroutine
  subroutine keep_array(x)
    real, target :: x(:)
    kept => x(2)
  end subroutine
  subroutine keep_pointer(p)
    real, pointer, intent(in) :: p
    kept => p
  end subroutine
  subroutine keep_nothing(x, y)
    real, intent(inout) :: x
    real, intent(in) :: y(:)
    x = x + sum(y)
  end subroutine
  subroutine bump()
    if (associated(kept)) kept = kept + 1
  end subroutine
end module

subroutine outside_keeps(x, y)
  use keeper, only: kept
  real, target :: x
  real :: y
  y = y + 1
  kept => x
end subroutine

subroutine outside_waits(x)
  use keeper, only: kept
  real, asynchronous, target :: x
  kept => x
end subroutine

subroutine in_c(x) bind(c, name='in_c_')
  use keeper, only: kept
  real, target :: x
  kept => x
end subroutine

subroutine outside_plain(x, n, text)
  real, intent(inout) :: x
  integer, value :: n
  character(*), intent(in) :: text
  x = x + n + len(text)
end subroutine

subroutine report(x)
  real, intent(inout) :: x
  print '(f8.1)', x
  x = x + 0.5
end subroutine

subroutine two_faces(x)
  use keeper, only: kept
  real, target :: x
  kept => x
end subroutine

subroutine outside_renamed(x)
  use keeper, only: kept
  real, target :: x
  kept => x
end subroutine

subroutine either(x, y)
  real :: x, y
  x = x + y
end subroutine

real function total(f, n)
  real, external :: f
  integer, intent(in) :: n
  integer :: i
  total = 0
  do i = 1, n
    total = total + f(i)
  end do
end function

real function summed(x, y)
  real, intent(in) :: x, y
  summed = x + y
end function

real function held(x)
  use keeper
  real, target :: x
  kept => x
  held = x
end function
