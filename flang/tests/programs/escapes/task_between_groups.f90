! escapes: task_between_groups.f90: 'callback' may escape: a task
! In a loop, the group that ends after the task was created also begins after it.
module other
contains
  subroutine apply(f)
    interface
      subroutine f()
      end subroutine
    end interface
    call f()
  end subroutine
end module

subroutine host(n)
  use other
  integer, intent(in) :: n
  integer :: i
  do i = 1, 2
    if (i == 2) then
      !$omp task
      call apply(callback)
      !$omp end task
    end if
    !$omp taskgroup
    !$omp end taskgroup
  end do
contains
  subroutine callback()
    if (n < 0) print *, n
  end subroutine
end subroutine

program main
  call host(5)
end program
