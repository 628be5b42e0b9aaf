! escapes: value_argument.f90: 'callback' escapes
! A C structure with the address in its second word is passed by value, and retained.
module registry
  use, intrinsic :: iso_c_binding
  abstract interface
    integer(c_int) function source() bind(c)
      import
    end function
  end interface
  type, bind(c) :: entry
    integer(c_long) :: id
    type(c_funptr) :: get
  end type
  type(c_funptr) :: kept
contains
  subroutine register(e) bind(c)
    type(entry), value :: e
    kept = e%get
  end subroutine
end module

module work
contains
  subroutine host(n)
    use registry
    integer, intent(in) :: n
    type(entry) :: e
    integer :: k
    k = n
    e%id = 1
    e%get = c_funloc(callback)
    call register(e)
  contains
    integer(c_int) function callback() bind(c)
      callback = k
    end function
  end subroutine
end module

program main
  use registry
  use work
  procedure(source), pointer :: p
  call host(7)
  call c_f_procpointer(kept, p)
  print *, p()
end program
