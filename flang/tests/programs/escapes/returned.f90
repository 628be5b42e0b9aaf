! escapes: returned.f90: 'callback' escapes: it is returned
! A function whose result is a pointer to its own internal procedure.
module factory
  abstract interface
    integer function source()
    end function
  end interface
contains
  function make(n) result(p)
    integer, intent(in) :: n
    procedure(source), pointer :: p
    p => callback
  contains
    integer function callback()
      callback = n
    end function
  end function
end module

program main
  use factory
  procedure(source), pointer :: p
  p => make(3)
  print *, p()
end program
