! escapes: captured_by_callee.f90:13: 'callback' escapes: register captures it
! A procedure that gets the address retains it.
module registry
  abstract interface
    integer function source()
    end function
  end interface
  procedure(source), pointer :: kept => null()
contains
  subroutine register(f)
    procedure(source) :: f
    print *, 'registering'
    kept => f
  end subroutine
  subroutine pass_on(f)
    procedure(source) :: f
    call register(f)
  end subroutine
end module

subroutine host(n)
  use registry
  integer, intent(in) :: n
  integer :: k
  k = n
  call pass_on(callback)
  print *, kept()
contains
  integer function callback()
    callback = k
  end function
end subroutine

program main
  use registry
  call host(5)
  print *, kept()
end program
