! A dummy procedure whose interface shows no TARGET, and procedures that may be the actual argument. `--keeps`, the built-in names
! and the user's list apply to the call through the dummy procedure.
module m
  interface
    subroutine passed(x)
      real :: x
    end subroutine
#ifdef BUILT_IN
    subroutine mpi_irecv(x)
      real :: x
    end subroutine
#endif
  end interface
contains
  subroutine run(f)
    interface
      subroutine f(x)
        real :: x
      end subroutine
    end interface
    real :: t
    call f(t)
  end subroutine
end module
program main
#ifdef BUILT_IN
  use m, passed_too => mpi_irecv
  call run(passed_too)
#else
  use m, passed_too => passed
  call run(passed_too)
#endif
end program
