! escapes: kept_in_host.f90: 'callback' does not escape
! A sibling stores the address in a variable of the host, which ends with the host.
module other
  abstract interface
    integer function source()
    end function
  end interface
contains
  integer function ask(f)
    procedure(source), pointer, intent(in) :: f
    ask = -1
    if (associated(f)) ask = f()
  end function
end module

subroutine host(n)
  use other
  integer, intent(in) :: n
  procedure(source), pointer :: p
  p => null()
  print *, ask(p)
  call set()
  print *, ask(p)
contains
  integer function callback()
    callback = n
  end function
  subroutine set()
    p => callback
  end subroutine
end subroutine

program main
  call host(1)
  call host(2)
end program
