! escapes: task_calls_pointer.f90: 'callback' may escape: a task
! also: task_calls_pointer.f90: 'worker' may escape:
! compiled by: 22 and later
! links: not
! A task calls an internal procedure through a pointer, and this procedure passes another one. The host does not wait for the task.
subroutine host(n)
  integer :: n
  procedure(), pointer :: p
  p => worker
  !$omp task firstprivate(p)
  call p()
  !$omp end task
contains
  subroutine worker()
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
