! A task that uses a dummy argument after its procedure has returned.
module tasks_library
contains
  subroutine spawn(x)
    integer :: x
    !$omp task shared(x)
    call wait_a_while()
    x = 5
    !$omp end task
  end subroutine
  subroutine wait_a_while()
    interface
      integer(4) function usleep(n) bind(c)
        integer(4), value :: n
      end function
    end interface
    integer :: i
    i = usleep(100000)
  end subroutine
end module

subroutine wait_for_all()
  !$omp taskwait
end subroutine
