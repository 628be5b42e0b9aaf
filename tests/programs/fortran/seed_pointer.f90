! An internal procedure as the target of a procedure pointer.
module other
  abstract interface
    integer function callback()
    end function
  end interface
contains
  subroutine foo(fptr)
    procedure(callback), pointer :: fptr
    print *, fptr()
  end subroutine
end module

subroutine host(local)
  use other
  integer :: local
  procedure(callback), pointer :: fptr
  fptr => callee
  call foo(fptr)
contains
  integer function callee()
    callee = local
  end function
end subroutine

program main
  call host(10)
  call host(-3)
end program
