! Polymorphic, allocatable and pointer variables of the host, accessed by its procedures.
module shapes
  implicit none
  type :: shape
    real :: size = 1
  end type
  type, extends(shape) :: square
    integer :: sides = 4
  end type
contains
  subroutine visit(f)
    interface
      subroutine f()
      end subroutine
    end interface
    call f()
  end subroutine
  subroutine host(s, n)
    class(shape), intent(inout) :: s
    integer, intent(in) :: n
    class(shape), allocatable :: copy
    real, allocatable :: values(:)
    real, pointer :: first
    real, target :: store(3)
    store = [1.0, 2.0, 3.0]
    first => store(n)
    allocate (copy, source=s)
    call visit(grow)
    call visit(describe)
  contains
    subroutine grow()
      allocate (values(n))
      values = copy%size + first
      s%size = s%size + sum(values)
    end subroutine
    subroutine describe()
      select type (s)
      type is (square)
        print '(a,f6.1,i3)', 'square', s%size, s%sides
      class default
        print '(a,f6.1)', 'shape', s%size
      end select
      print '(i3,f6.1)', size(values), copy%size
    end subroutine
  end subroutine
end module

program main
  use shapes
  type(shape) :: a
  type(square) :: b
  call host(a, 2)
  call host(b, 3)
  call host(b, 1)
end program
