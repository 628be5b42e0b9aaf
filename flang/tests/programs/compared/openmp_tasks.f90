! Tasks take the address, inside and outside of a region. (flang 19 does not support private variables of tasks.)
module other
contains
  integer function twice(f, x)
    interface
      integer function f(x)
        integer, intent(in) :: x
      end function
    end interface
    integer, intent(in) :: x
    twice = f(x) + f(x + 1)
  end function
end module

subroutine host(offset, total)
  use other
  integer, intent(in) :: offset
  integer, intent(out) :: total
  integer :: sums(5)
  sums = 0
  !$omp parallel shared(sums)
  !$omp single
  !$omp task shared(sums)
  sums(1) = twice(shifted, 1)
  !$omp end task
  !$omp task shared(sums)
  sums(2) = twice(shifted, 2)
  !$omp end task
  !$omp task shared(sums)
  sums(3) = twice(scaled, 3)
  !$omp end task
  !$omp taskwait
  !$omp end single
  !$omp end parallel
  !$omp task shared(sums)
  sums(4) = twice(scaled, 4)
  !$omp end task
  !$omp taskwait
  sums(5) = twice(shifted, 5)
  total = sum(sums)
contains
  integer function shifted(x)
    integer, intent(in) :: x
    shifted = x + offset
  end function
  integer function scaled(x)
    integer, intent(in) :: x
    scaled = x * offset
  end function
end subroutine

program main
  integer :: total, round
  do round = 1, 20
    call host(round, total)
    print *, round, total
  end do
end program
