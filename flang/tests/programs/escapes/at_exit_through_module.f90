! escapes: at_exit_through_module.f90: 'callback' may escape: it is stored in 'later'
! ends: in the diagnosis
! A procedure that runs after the main program has ended calls the one that the main program has left in a module.
module m
  abstract interface
    subroutine s()
    end subroutine
  end interface
  procedure(s), pointer :: later => null()
contains
  subroutine at_end() bind(c)
    if (associated(later)) call later()
  end subroutine
end module
program p
  use m
  use iso_c_binding
  interface
    integer(c_int) function atexit(f) bind(c)
      import
      type(c_funptr), value :: f
    end function
  end interface
  integer :: n
  n = 7
  if (atexit(c_funloc(at_end)) /= 0) stop 1
  later => callback
contains
  subroutine callback()
    print *, n
  end subroutine
end program
