! escapes: final_elsewhere.f90: 'callback' may escape: it is passed to _FortranADestroy, which may run a procedure of its type
! links: not
! The procedure that finalizes a variable is in another file: here it is an external one.
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
  interface
    module subroutine finish(self)
      type(holder), intent(inout) :: self
    end subroutine
  end interface
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
  use work
  call host(4)
end program
