! escapes: passed_on_safely.f90:32: 'callback' does not escape
! The address is passed down through variables, components and calls, and never leaves the host.
module other
  abstract interface
    integer function source()
    end function
  end interface
  type :: holder
    integer :: id = 0
    procedure(source), nopass, pointer :: get => null()
  end type
contains
  integer function ask(f)
    procedure(source) :: f
    procedure(source), pointer :: again
    again => f
    ask = again()
  end function
  integer function ask_holder(h)
    type(holder), intent(in) :: h
    ask_holder = h%get() + ask(h%get)
  end function
end module

subroutine host(n)
  use other
  integer, intent(in) :: n
  type(holder) :: h
  procedure(source), pointer :: p
  integer :: k
  k = n
  p => callback
  h%get => p
  print *, ask(p), ask_holder(h), ask(callback)
contains
  integer function callback()
    callback = k
  end function
end subroutine

program main
  call host(7)
  call host(8)
end program
