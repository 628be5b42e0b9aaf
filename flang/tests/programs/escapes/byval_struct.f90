! escapes: byval_struct.f90:25: 'callback' escapes: keep captures it: it is stored in 'kept'
! A C structure that is too large for registers is passed by value, and retained whole.
module registry
  use, intrinsic :: iso_c_binding
  abstract interface
    integer(c_int) function source() bind(c)
      import
    end function
  end interface
  type, bind(c) :: entry
    integer(c_long) :: id(4)
    type(c_funptr) :: get
  end type
  type(entry) :: kept
end module

module work
contains
  subroutine keep(e) bind(c)
    use registry
    type(entry), value :: e
    type(entry) :: mine
    mine = e
    e%id = 0
    kept = mine
  end subroutine
  subroutine host(n)
    use registry
    integer, intent(in) :: n
    type(entry) :: e
    integer :: k
    k = n
    e%id = 1
    e%get = c_funloc(callback)
    call keep(e)
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
  call c_f_procpointer(kept%get, p)
  print *, p()
end program
