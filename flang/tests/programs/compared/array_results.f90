! Functions whose result is an array, with a size from the host.
module other
contains
  function apply(f, n) result(total)
    interface
      function f(n)
        integer, intent(in) :: n
        real :: f(n)
      end function
    end interface
    integer, intent(in) :: n
    real :: total
    total = sum(f(n))
  end function
  subroutine host(scale)
    real, intent(in) :: scale
    print '(2f8.2)', apply(ramp, 4), apply(ramp, 10)
  contains
    function ramp(n)
      integer, intent(in) :: n
      real :: ramp(n)
      integer :: i
      do i = 1, n
        ramp(i) = scale * i
      end do
    end function
  end subroutine
end module

program main
  use other
  call host(1.0)
  call host(0.5)
end program
