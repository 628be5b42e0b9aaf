! escapes: allocatable_dummy.f90:19: 'callback' escapes: it is stored in an argument
! The host allocates its dummy argument: its caller still has the memory after the host has ended.
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
  subroutine host(list, n)
    type(holder), allocatable, intent(out) :: list(:)
    integer, intent(in) :: n
    integer :: k
    k = n
    allocate(list(2))
    list(2)%get => callback
  contains
    integer function callback()
      callback = k
    end function
  end subroutine
end module

program main
  use other
  type(holder), allocatable :: list(:)
  call host(list, 4)
  print *, list(2)%get()
end program
