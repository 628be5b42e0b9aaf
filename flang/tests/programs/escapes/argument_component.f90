! escapes: argument_component.f90:20: 'callback' escapes: it is stored in an argument
! The address is stored in a component of a dummy argument.
module other
  abstract interface
    integer function source()
    end function
  end interface
  type :: holder
    integer :: id = 0
    procedure(source), nopass, pointer :: get => null()
  end type
end module

module work
contains
  subroutine host(h, n)
    use other
    type(holder), intent(inout) :: h
    integer, intent(in) :: n
    h%get => callback
    print *, h%get()
  contains
    integer function callback()
      callback = n
    end function
  end subroutine
end module

program main
  use other
  use work
  type(holder) :: h
  call host(h, 4)
  print *, h%get()
end program
