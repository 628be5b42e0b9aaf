! Sections, single, masked and critical regions, each of which takes addresses.
module parts
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
    integer :: r(6)
    r = 0
    !$omp parallel sections num_threads(3)
    !$omp section
    r(1) = apply(inner, 1)
    !$omp section
    r(2) = apply(inner, 2) + apply(other, 2)
    !$omp section
    r(3) = by_sibling(3)
    !$omp end parallel sections
    !$omp parallel num_threads(4)
    !$omp single
    r(4) = apply(inner, 4)
    !$omp end single
    !$omp master
    r(5) = apply(other, 5)
    !$omp end master
    !$omp critical
    r(6) = r(6) + 0 * apply(inner, 6) + by_sibling(0) - by_sibling(0)
    !$omp end critical
    !$omp end parallel
    total = sum(r)
  contains
    integer function inner(x)
      integer, intent(in) :: x
      inner = x * k
    end function
    integer function other(x)
      integer, intent(in) :: x
      other = x + k
    end function
    integer function by_sibling(x)
      integer, intent(in) :: x
      by_sibling = apply(inner, x) - apply(other, x)
    end function
  end function
end module
program main
  use parts
  implicit none
  integer :: i
  do i = 1, 30
    print *, host(i)
  end do
end program
