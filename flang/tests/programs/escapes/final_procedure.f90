! escapes: final_procedure.f90:18: 'callback' escapes: finish captures it
! The procedure that finalizes a variable of the host retains the value of its component.
module other
  abstract interface
    integer function source()
    end function
  end interface
  type :: holder
    integer :: id = 0
    procedure(source), nopass, pointer :: get => null()
  contains
    final :: finish
  end type
  procedure(source), pointer :: kept => null()
contains
  subroutine finish(self)
    type(holder), intent(inout) :: self
    kept => self%get
  end subroutine
end module

module work
contains
  subroutine host(n)
    use other
    integer, intent(in) :: n
    type(holder) :: h
    integer :: k
    k = n
    h%get => callback
    print *, h%get()
  contains
    integer function callback()
      callback = k
    end function
  end subroutine
end module

program main
  use other
  use work
  call host(4)
  print *, kept()
end program
