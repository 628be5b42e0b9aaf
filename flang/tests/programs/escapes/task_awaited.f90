! escapes: task_awaited.f90: 'callback' does not escape
! Nested tasks, for which their host waits.
module other
  abstract interface
    integer function source()
    end function
  end interface
contains
  subroutine add(f, total)
    procedure(source) :: f
    integer, intent(inout) :: total
    integer :: i
    do i = 1, 3
      !$omp task shared(total)
      !$omp task shared(total)
      !$omp atomic
      total = total + f()
      !$omp end task
      !$omp end task
    end do
  end subroutine
end module

subroutine host(n)
  use other
  integer, intent(in) :: n
  integer :: total
  total = 0
  !$omp taskgroup
  call add(callback, total)
  !$omp end taskgroup
  !$omp task shared(total)
  call add_directly(callback, total)
  !$omp end task
  !$omp taskwait
  print *, total
contains
  subroutine add_directly(f, total)
    procedure(source) :: f
    integer, intent(inout) :: total
    total = total + f()
  end subroutine
  integer function callback()
    callback = n
  end function
end subroutine

program main
  !$omp parallel num_threads(2)
  !$omp single
  call host(6)
  !$omp end single
  !$omp end parallel
end program
