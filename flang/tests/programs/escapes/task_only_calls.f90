! escapes: task_only_calls.f90: 'callback' does not escape
! compiled by: 22 and later
! Tasks of a region copy the host's pointer to their own pointers.
module other
  abstract interface
    integer function source()
    end function
  end interface
end module

subroutine host(n)
  use other
  integer, intent(in) :: n
  procedure(source), pointer :: a, mine
  integer :: total, i
  a => callback
  total = 0
  !$omp parallel num_threads(2)
  !$omp single
  do i = 1, 4
    !$omp task shared(total) private(mine)
    mine => a
    !$omp atomic
    total = total + mine()
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  print *, total
contains
  integer function callback()
    callback = n
  end function
end subroutine

program main
  call host(6)
end program
