! escapes: saved_variable.f90:22: 'callback' escapes
! The address stays in a SAVE variable of the host itself.
module other
  abstract interface
    integer function source()
    end function
  end interface
contains
  integer function ask(f)
    procedure(source) :: f
    ask = f()
  end function
end module

subroutine host(n)
  use other
  integer, intent(in) :: n
  procedure(source), pointer, save :: kept => null()
  if (n == 0) then
    print *, ask(kept)
  else
    kept => callback
    print *, ask(kept)
  end if
contains
  integer function callback()
    callback = 10 * n
  end function
end subroutine

program main
  call host(1)
  call host(0)
end program
