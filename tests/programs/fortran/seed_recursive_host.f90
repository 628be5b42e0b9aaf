! Each level of a recursion passes on an internal procedure, whose call goes one level deeper.
module other
contains
  recursive subroutine foo(fptr)
    interface
      integer function fptr()
      end function
    end interface
    integer :: value
    value = fptr()
    print *, value
  end subroutine
end module

recursive subroutine host(local)
  use other
  integer :: local
  call foo(callee)
contains
  recursive integer function callee()
    callee = local
    if (local <= 200) call host(local + 1)
  end function
end subroutine

program main
  call host(1)
end program
