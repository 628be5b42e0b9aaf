! escapes: module_allocatable.f90:19: 'callback' escapes: it is stored in 'state', which outlives the host
! The address is stored in memory to which a module's variable points.
module other
  abstract interface
    integer function source()
    end function
  end interface
  type :: holder
    integer :: id = 0
    procedure(source), nopass, pointer :: get => null()
  end type
  class(holder), allocatable :: state
contains
  subroutine host(n)
    integer, intent(in) :: n
    integer :: k
    k = n
    if (.not. allocated(state)) allocate(state)
    state%get => callback
    print *, state%get()
  contains
    integer function callback()
      callback = k
    end function
  end subroutine
end module

program main
  use other
  call host(4)
  print *, state%get()
end program
