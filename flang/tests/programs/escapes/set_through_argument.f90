! escapes: set_through_argument.f90: 'callback' escapes: it is stored in an argument
! A callee stores the address in a variable of the host's caller.
module other
  abstract interface
    integer function source()
    end function
  end interface
contains
  subroutine keep(f, p)
    procedure(source) :: f
    procedure(source), pointer, intent(out) :: p
    p => f
  end subroutine
  subroutine host(n, p)
    integer, intent(in) :: n
    procedure(source), pointer, intent(out) :: p
    procedure(source), pointer :: own
    call keep(callback, own)
    print *, own()
    call keep(callback, p)
  contains
    integer function callback()
      callback = n
    end function
  end subroutine
end module

program main
  use other
  procedure(source), pointer :: p
  call host(5, p)
  print *, p()
end program
