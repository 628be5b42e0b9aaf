! escapes: task_firstprivate_stored.f90: 'callback' escapes: host captures it: it is stored in 'later'
! compiled by: 22 and later
! The task stores its copy of the procedure pointer in a module variable.
module m
  abstract interface
    integer function source()
    end function
  end interface
  procedure(source), pointer :: later => null()
  integer :: total = 0
contains
  subroutine host(n)
    integer, intent(in) :: n
    procedure(source), pointer :: p
    integer :: i
    p => callback
    !$omp task firstprivate(p)
    later => p
    !$omp end task
    !$omp taskwait
  contains
    integer function callback()
      callback = n
    end function
  end subroutine
end module

program main
  use m
  !$omp parallel num_threads(4)
  !$omp single
  call host(6)
  !$omp end single
  !$omp end parallel
  print *, later()
end program
