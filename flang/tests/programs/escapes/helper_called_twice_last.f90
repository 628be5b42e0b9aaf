! escapes: helper_called_twice_last.f90: 'callback' escapes: it is stored in an argument
! One call of a procedure stores to a variable of the host. The next, with the same inner call, stores outside the host.
module other
  abstract interface
    integer function source()
    end function
  end interface
contains
  subroutine copy(from, to)
    procedure(source), pointer, intent(in) :: from
    procedure(source), pointer, intent(out) :: to
    to => from
  end subroutine
  subroutine pass_on(from, to)
    procedure(source), pointer, intent(in) :: from
    procedure(source), pointer, intent(out) :: to
    call copy(from, to)
  end subroutine
  subroutine host(n, p)
    integer, intent(in) :: n
    procedure(source), pointer, intent(out) :: p
    procedure(source), pointer :: own, own2
    own => callback
    call pass_on(own, own2)
    print *, own2()
    call pass_on(own, p)
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
