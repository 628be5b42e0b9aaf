! An internal procedure as an actual argument with an implicit interface.
module other
contains
  subroutine foo(fptr)
    integer, external :: fptr
    print *, fptr()
  end subroutine
end module

subroutine host(local)
  use other
  integer :: local
  call foo(callee)
contains
  integer function callee()
    callee = local
  end function
end subroutine

program main
  call host(10)
end program
