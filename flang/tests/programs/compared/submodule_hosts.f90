! Hosts in a submodule, in a generic, and as a type-bound procedure.
module shapes
  implicit none
  type :: grid
    integer :: n = 4
  contains
    procedure :: total => grid_total
  end type
  interface
    module integer function grid_total(self)
      class(grid), intent(in) :: self
    end function
  end interface
  interface sum_up
    procedure sum_up_integer, sum_up_real
  end interface
contains
  integer function sum_up_integer(n, f)
    integer, intent(in) :: n
    interface
      integer function f(i)
        integer, intent(in) :: i
      end function
    end interface
    integer :: i
    sum_up_integer = 0
    do i = 1, n
      sum_up_integer = sum_up_integer + f(i)
    end do
  end function
  real function sum_up_real(n, f)
    integer, intent(in) :: n
    interface
      real function f(i)
        integer, intent(in) :: i
      end function
    end interface
    integer :: i
    sum_up_real = 0
    do i = 1, n
      sum_up_real = sum_up_real + f(i)
    end do
  end function
end module

submodule (shapes) implementation
contains
  module procedure grid_total
    grid_total = sum_up(self%n, cell) + nint(sum_up(self%n, weight))
  contains
    integer function cell(i)
      integer, intent(in) :: i
      cell = i * self%n
    end function
    real function weight(i)
      integer, intent(in) :: i
      weight = 0.5 * i * self%n
    end function
  end procedure
end submodule

program main
  use shapes
  type(grid) :: g
  print *, g%total()
  g%n = 10
  print *, g%total()
end program
