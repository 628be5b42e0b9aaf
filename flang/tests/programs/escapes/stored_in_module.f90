! escapes: stored_in_module.f90:15: 'callback' escapes
! The host leaves its procedure's address in a module.
module registry
  abstract interface
    integer function source()
    end function
  end interface
  procedure(source), pointer :: current => null()
end module

subroutine host(n)
  use registry
  integer, intent(in) :: n
  integer :: mine
  current => callback
  mine = n
  print *, current()
contains
  integer function callback()
    callback = mine
  end function
end subroutine

program main
  use registry
  call host(3)
  print *, current()
end program
