! escapes: allocatable_local.f90: 'callback' does not escape
! The address is in memory to which only the host's own descriptors point: one freed by the host, one at its end.
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
  integer function ask(h)
    class(holder), intent(in) :: h
    ask = h%get()
  end function
end module

subroutine host(n)
  use other
  integer, intent(in) :: n
  type(holder), allocatable :: me
  class(holder), allocatable :: any
  type(holder), pointer :: p
  integer :: k
  k = n
  allocate(me, any, p)
  me%get => callback
  any%get => callback
  p%get => me%get
  print *, ask(me) + ask(any) + p%get()
  deallocate(p)
contains
  integer function callback()
    callback = k
  end function
end subroutine

program main
  call host(1)
  call host(2)
end program
