! Loops that are divided among teams, and then among the threads of each team.
! flang 19 does not build this: "not yet implemented: Composite DISTRIBUTE PARALLEL DO".
module divided
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
    integer :: r(40), i
    r = 0
    !$omp teams distribute
    do i = 1, 20
      r(i) = apply(inner, i)
    end do
    !$omp end teams distribute
    !$omp teams distribute parallel do
    do i = 21, 40
      r(i) = apply(other, i) + by_sibling(i)
    end do
    !$omp end teams distribute parallel do
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
  use divided
  implicit none
  integer :: i
  do i = 1, 20
    print *, host(i)
  end do
end program
