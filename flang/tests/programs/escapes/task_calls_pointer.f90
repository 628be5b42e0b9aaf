! escapes: task_calls_pointer.f90: 'callback' may escape: a task
! also: task_calls_pointer.f90: 'worker' may escape: 
! ends: in the diagnosis
! A task calls an internal procedure through a pointer, and this procedure passes another one. The host does not wait for the task.
module other
  integer :: has_begun = 0, has_ended = 0
contains
  subroutine set(flag)
    integer, intent(out) :: flag
    !$omp atomic write
    flag = 1
  end subroutine
  subroutine wait_for(flag)
    integer, intent(in) :: flag
    integer :: value
    do
      !$omp atomic read
      value = flag
      if (value /= 0) exit
    end do
  end subroutine
end module

subroutine host(n)
  use other
  integer :: n
  procedure(), pointer :: p
  p => worker
  !$omp task firstprivate(p)
  call p()
  !$omp end task
  call wait_for(has_begun)
contains
  subroutine worker()
    call set(has_begun)
    call wait_for(has_ended)
    call use(callback)
  end subroutine
  subroutine callback()
    n = n + 1
  end subroutine
  subroutine use(f)
    procedure() :: f
    call f()
  end subroutine
end subroutine

program main
  use other
  !$omp parallel num_threads(2)
  !$omp single
  call host(6)
  call set(has_ended)
  !$omp end single
  !$omp end parallel
end program
