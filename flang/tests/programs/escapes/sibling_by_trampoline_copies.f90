! escapes: sibling_by_trampoline_copies.f90: 'callback' does not escape
! A sibling that is itself called back copies the host's pointer into a variable of its own.
module other
  abstract interface
    integer function source()
    end function
    subroutine action()
    end subroutine
  end interface
contains
  subroutine run(f)
    procedure(action) :: f
    call f()
  end subroutine
end module

subroutine host(n)
  use other
  integer, intent(in) :: n
  procedure(source), pointer :: p
  p => callback
  call run(copy)
contains
  integer function callback()
    callback = n
  end function
  subroutine copy()
    procedure(source), pointer :: mine
    mine => p
    print *, mine()
  end subroutine
end subroutine

program main
  call host(6)
end program
