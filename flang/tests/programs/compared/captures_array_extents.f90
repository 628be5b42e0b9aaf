! Assumed-shape, explicit-shape and assumed-size arrays of the host, with strides.
module other
contains
  real function reduce(f, n)
    interface
      real function f(i)
        integer, intent(in) :: i
      end function
    end interface
    integer, intent(in) :: n
    integer :: i
    reduce = 0
    do i = 1, n
      reduce = reduce + f(i)
    end do
  end function
  subroutine host(a, b, c, n)
    integer, intent(in) :: n
    real, intent(in) :: a(:), b(n), c(*)
    real :: local(2 * n)
    local = 1
    print '(4f9.2)', reduce(from_a, size(a)), reduce(from_b, n), reduce(from_c, n), reduce(from_local, 2 * n)
  contains
    real function from_a(i)
      integer, intent(in) :: i
      from_a = a(i)
    end function
    real function from_b(i)
      integer, intent(in) :: i
      from_b = b(i) * a(i)
    end function
    real function from_c(i)
      integer, intent(in) :: i
      from_c = c(i)
    end function
    real function from_local(i)
      integer, intent(in) :: i
      from_local = local(i) / i
    end function
  end subroutine
end module

program main
  use other
  real :: x(12)
  integer :: i
  x = [(real(i), i = 1, 12)]
  call host(x, x, x, 5)
  call host(x(::3), x(2:), x(7:), 4)
  call host(x(12:1:-2), x, x, 6)
end program
