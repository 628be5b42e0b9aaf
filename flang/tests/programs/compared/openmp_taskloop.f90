! Loops whose iterations are tasks.
! flang 19 does not build this: "not yet implemented: Taskloop construct".
module rounds
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
    integer :: r(20), i
    r = 0
    !$omp parallel shared(r)
    !$omp single
    !$omp taskloop shared(r)
    do i = 1, 20
      r(i) = apply(inner, i) + by_sibling(i)
    end do
    !$omp end taskloop
    !$omp end single
    !$omp end parallel
    total = sum(r)
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
  use rounds
  implicit none
  integer :: i
  do i = 1, 20
    print *, host(i)
  end do
end program
