! A module whose procedures are in submodules in other files, and external procedures, one of which retains an address.
module submodules_library
  implicit none
  real :: x = 0, kept_by_name = 0
  interface
    module subroutine by_body(x)
      real, target :: x
    end subroutine
    module function by_result(x) result(r)
      real, intent(in) :: x(:)
      real :: r
    end function
    module subroutine by_name(x)
      real, target :: x
    end subroutine
  end interface
contains
  subroutine of_module(x)
    real, intent(inout) :: x
    x = x + 1
  end subroutine
end module

module keeper
  implicit none
  real, pointer :: kept => null()
contains
  subroutine bump()
    if (associated(kept)) kept = kept + 1
  end subroutine
end module

subroutine keep(x)
  use keeper
  real, target :: x
  kept => x
end subroutine

subroutine change(x)
  real :: x
  x = x + 1
end subroutine
