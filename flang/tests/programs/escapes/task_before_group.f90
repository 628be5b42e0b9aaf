! escapes: task_before_group.f90: 'callback' may escape: a task
! ends: in the diagnosis
! The end of a task group does not wait for a task created before the group began.
module m
contains
  subroutine apply(f)
    interface
      subroutine f()
      end subroutine
    end interface
    call nap()
    call f()
  end subroutine
  subroutine host(n)
    integer, intent(in) :: n
    call forward(callback)
  contains
    subroutine callback()
      print *, n
    end subroutine
  end subroutine
  subroutine forward(f)
    interface
      subroutine f()
      end subroutine
    end interface
    !$omp task
    call apply(f)
    !$omp end task
    !$omp taskgroup
    !$omp end taskgroup
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
program p
  use m
  !$omp parallel num_threads(4)
  !$omp single
  call host(5)
  !$omp end single
  !$omp end parallel
end program
