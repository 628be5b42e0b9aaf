! escapes: task_left.f90: 'callback' may escape: a task
! ends: in the diagnosis
! A task for which its host does not wait.
module other
  abstract interface
    integer function source()
    end function
  end interface
  integer :: has_ended = 0
contains
  subroutine later(f)
    procedure(source) :: f
    integer :: ended
    !$omp task private(ended)
    do
      !$omp atomic read
      ended = has_ended
      if (ended /= 0) exit
    end do
    print *, f()
    !$omp end task
  end subroutine
end module

subroutine host(n)
  use other
  integer, intent(in) :: n
  call later(callback)
contains
  integer function callback()
    callback = n
  end function
end subroutine

program main
  use other
  !$omp parallel num_threads(2)
  !$omp single
  call host(6)
  !$omp atomic write
  has_ended = 1
  !$omp end single
  !$omp end parallel
end program
