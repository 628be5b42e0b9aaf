! A derived type with an allocatable component and a polymorphic object.
module shapes
  type :: shape
    real :: scale = 1
  end type
  type, extends(shape) :: square
    real :: side = 0
  end type
  type :: tally
    integer :: calls = 0
    real, allocatable :: seen(:)
  end type
contains
  real function area(this)
    class(shape), intent(in) :: this
    select type (this)
    type is (square)
      area = this%scale * this%side**2
    class default
      area = this%scale
    end select
  end function

  real function sum_of(f, n)
    interface
      real function f(i)
        integer, intent(in) :: i
      end function
    end interface
    integer, intent(in) :: n
    integer :: i
    sum_of = 0
    do i = 1, n
      sum_of = sum_of + f(i)
    end do
  end function

  subroutine host(thing)
    class(shape), intent(in) :: thing
    type(tally) :: t
    real :: total
    t%seen = [real ::]
    total = sum_of(area_times, 3)
    print '(a,f8.2,a,i0,a,*(f8.2))', 'sum', total, ' calls ', t%calls, ' seen', t%seen
  contains
    real function area_times(i)
      integer, intent(in) :: i
      t%calls = t%calls + 1
      area_times = area(thing) * i
      t%seen = [t%seen, area_times]
    end function
  end subroutine
end module

program main
  use shapes
  call host(shape(2.5))
  call host(square(2.0, 3.0))
end program
