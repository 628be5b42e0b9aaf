! Procedure pointers that are private to each thread or task.
! flang 19 does not build this: it ends in a segmentation fault.
module privates
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
    procedure(op), pointer :: p
    integer :: r(8), i
    r = 0
    p => inner
    !$omp parallel private(p) num_threads(4)
    if (k > 3) then
      p => inner
    else
      p => other
    end if
    !$omp do
    do i = 1, 8
      r(i) = p(i) + apply(p, i)
    end do
    !$omp end do
    !$omp end parallel
    total = sum(r) + apply(p, 1)
    !$omp parallel firstprivate(p) num_threads(2)
    !$omp atomic write
    r(1) = apply(p, 2)
    p => other
    !$omp atomic write
    r(2) = apply(p, 2)
    !$omp end parallel
    total = total + r(1) + r(2) + p(3)
  contains
    integer function inner(x)
      integer, intent(in) :: x
      inner = x * k
    end function
    integer function other(x)
      integer, intent(in) :: x
      other = x + k
    end function
  end function
end module
program main
  use privates
  implicit none
  integer :: i
  do i = 1, 10
    print *, host(i)
  end do
end program
