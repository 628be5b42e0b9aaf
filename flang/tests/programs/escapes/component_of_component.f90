! escapes: component_of_component.f90:22: 'callback' escapes: it is stored in an argument
! An argument's component points to the variable in which the address is stored.
module other
  abstract interface
    integer function source()
    end function
  end interface
  type :: holder
    integer :: id = 0
    procedure(source), nopass, pointer :: get => null()
  end type
  type :: owner
    integer :: id = 0
    type(holder), pointer :: h => null()
  end type
contains
  subroutine host(o, n)
    class(owner), intent(inout) :: o
    integer, intent(in) :: n
    integer :: k
    k = n
    o%h%get => callback
    print *, o%h%get()
  contains
    integer function callback()
      callback = k
    end function
  end subroutine
end module

program main
  use other
  type(owner) :: o
  allocate(o%h)
  call host(o, 4)
  print *, o%h%get()
end program
