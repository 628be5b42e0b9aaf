! A target region that the host runs. A procedure takes the addresses.
! flang 19 does not build this: it calls __tgt_target_kernel, whose library is not installed here.
module targets
  implicit none
  abstract interface
    integer function op(x)
      integer, intent(in) :: x
    end function
  end interface
contains
  integer function apply(f, n)
    procedure(op) :: f
    integer, intent(in) :: n
    apply = f(n)
  end function
  integer function host(k) result(total)
    integer, intent(in) :: k
    total = apply(inner, k) + by_sibling(k)
  contains
    integer function inner(x)
      integer, intent(in) :: x
      inner = x * k
    end function
    integer function by_sibling(x)
      integer, intent(in) :: x
      by_sibling = apply(inner, x + 1)
    end function
  end function
end module
program main
  use targets
  implicit none
  integer :: i, r
  do i = 1, 5
    r = 0
    !$omp target map(tofrom: r) map(to: i)
    r = host(i)
    !$omp end target
    print *, r
  end do
end program
