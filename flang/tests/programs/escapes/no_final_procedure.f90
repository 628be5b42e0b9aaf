! escapes: no_final_procedure.f90: 'callback' does not escape
! The end of a variable whose type has allocatable components, but no final procedure.
module other
  abstract interface
    integer function source()
    end function
  end interface
  type :: holder
    integer, allocatable :: id(:)
    procedure(source), nopass, pointer :: get => null()
  end type
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
    allocate (h%id(n))
    h%id = n
    print *, h%get(), sum(h%id)
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
