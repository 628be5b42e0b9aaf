! escapes: component_copied.f90: 'callback' escapes
! The address is not at the beginning of the variable that is copied whole, nor of the variable that points to it.
module registry
  abstract interface
    integer function source()
    end function
  end interface
  type :: holder
    integer(8) :: id(5) = 0
    procedure(source), nopass, pointer :: get => null()
  end type
  type :: link
    integer(8) :: id(3) = 0
    type(holder), pointer :: to => null()
  end type
  procedure(source), pointer :: kept => null()
contains
  subroutine register(l)
    type(link), intent(in) :: l
    type(link) :: mine
    type(holder) :: h
    mine = l
    h = mine%to
    kept => h%get
  end subroutine
end module

module work
contains
  subroutine host(n)
    use registry
    integer, intent(in) :: n
    type(holder), target :: h
    type(link) :: l
    integer :: k
    k = n
    h%get => callback
    l%to => h
    call register(l)
  contains
    integer function callback()
      callback = k
    end function
  end subroutine
end module

program main
  use registry
  use work
  call host(7)
  print *, kept()
end program
