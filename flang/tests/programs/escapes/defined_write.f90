! escapes: defined_write.f90:24: 'callback' escapes: put captures it
! The type's own output procedure retains the component's value.
module other
  abstract interface
    integer function source()
    end function
  end interface
  type :: holder
    integer :: id = 0
    procedure(source), nopass, pointer :: get => null()
  contains
    procedure :: put
    generic :: write (formatted) => put
  end type
  procedure(source), pointer :: kept => null()
contains
  subroutine put(self, unit, iotype, vlist, iostat, iomsg)
    class(holder), intent(in) :: self
    integer, intent(in) :: unit
    character(*), intent(in) :: iotype
    integer, intent(in) :: vlist(:)
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    kept => self%get
    write (unit, *, iostat=iostat, iomsg=iomsg) self%id
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
    h%id = k
    h%get => callback

    ! This line retains it.
    print *, h
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
