! escapes: task_firstprivate_nogroup.f90: 'callback' may escape: a task
! ends: in the diagnosis
! compiled by: 22 and later
! No code waits for the tasks of a loop with NOGROUP.
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
    !$omp taskloop firstprivate(p) nogroup
    do i = 1, 4
      call nap()
      total = total + p()
    end do
    !$omp end taskloop
  contains
    integer function callback()
      callback = n
    end function
  end subroutine
  subroutine nap()
    interface
      integer function usleep(us) bind(c)
        use iso_c_binding
        integer(c_int), value :: us
      end function
    end interface
    integer :: r
    r = usleep(2000000)
  end subroutine
end module

program main
  use m
  !$omp parallel num_threads(4)
  !$omp single
  call host(6)
  !$omp end single
  !$omp end parallel
end program
