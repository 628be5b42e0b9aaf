! escapes: allocated_and_kept.f90:26: 'callback' escapes: it is stored in 'kept', which outlives the host
! The host allocates memory, stores the address there, and gives the memory away.
module other
  abstract interface
    integer function source()
    end function
  end interface
  type :: holder
    integer :: id = 0
    procedure(source), nopass, pointer :: get => null()
  end type
  type(holder), pointer :: kept => null()
end module

module work
contains
  subroutine host(n)
    use other
    integer, intent(in) :: n
    type(holder), pointer :: p
    integer :: k
    k = n
    allocate(p)
    p%get => callback
    print *, p%get()
    kept => p
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
  print *, kept%get()
end program
