! escapes: task_keeps.f90: 'callback' escapes
! A task of a region copies the host's pointer to a module.
module registry
  abstract interface
    integer function source()
    end function
  end interface
  procedure(source), pointer :: kept => null()
end module

subroutine host(n)
  use registry
  integer, intent(in) :: n
  procedure(source), pointer :: a
  a => callback
  !$omp parallel num_threads(2)
  !$omp single
  !$omp task
  kept => a
  !$omp end task
  !$omp end single
  !$omp end parallel
  print *, kept()
contains
  integer function callback()
    callback = n
  end function
end subroutine

program main
  use registry
  call host(6)
  print *, kept()
end program
