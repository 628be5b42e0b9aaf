! escapes: program_is_host.f90: 'callback' does not escape
! A pointer that the main program leaves in a module exists as long as the program.
module registry
  abstract interface
    integer function source()
    end function
  end interface
  procedure(source), pointer :: current => null()
contains
  subroutine show()
    print *, current()
  end subroutine
end module

program main
  use registry
  integer :: n
  n = 1
  current => callback
  call show()
  n = 2
  call show()
contains
  integer function callback()
    callback = n
  end function
end program
