! Submodules of a module in another file. A TARGET in them has the same name as a module variable that is not a TARGET.
submodule (submodules_library) first_part
  implicit none
contains
  module subroutine by_body(x)
    real, target :: x
    call pass_on()
    x = 1
    call bump_all()
    print '(f8.1)', x
  contains
    subroutine pass_on()
      call keep(x)
    end subroutine
  end subroutine

  module function by_result(x) result(r)
    real, intent(in) :: x(:)
    real :: r
    real, target :: kept_by_name
    kept_by_name = x(1)
    call keep(kept_by_name)
    kept_by_name = 10
    call bump_all()
    r = kept_by_name
    call change(r)
    call of_module(r)
  end function

  subroutine bump_all()
    use keeper
    call bump()
  end subroutine
end submodule

submodule (submodules_library:first_part) second_part
  implicit none
contains
  module procedure by_name
    call keep(x)
    x = 20
    call bump_all()
    print '(f8.1)', x
  end procedure
end submodule

program main
  use submodules_library
  implicit none
  real, target :: y
  y = 3
  call by_body(y)
  print '(f8.1)', by_result([y])
  call by_name(y)
end program
