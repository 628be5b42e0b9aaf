! escapes: at_exit.f90: 'callback' may escape: it is passed to 'atexit', a BIND(C) procedure
! ends: in the diagnosis
! A procedure that runs after the main program has ended.
program main
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function atexit(f) bind(c)
      import
      type(c_funptr), value :: f
    end function
  end interface
  integer :: n
  n = 3
  if (atexit(c_funloc(callback)) /= 0) stop 1
  n = 4
contains
  subroutine callback() bind(c)
    print *, n
  end subroutine
end program
