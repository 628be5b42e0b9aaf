! A module's pointer, set again by each invocation of a host that needs it.
module registry
  abstract interface
    integer function source()
    end function
  end interface
  procedure(source), pointer :: current => null()
contains
  integer function ask()
    ask = -1
    if (associated(current)) ask = current()
  end function
end module

recursive subroutine host(n)
  use registry
  integer, intent(in) :: n
  procedure(source), pointer :: before
  before => current
  current => mine
  print *, n, ask()
  if (n > 0) call host(n - 1)
  print *, n, ask()
  current => before
contains
  integer function mine()
    mine = 100 + n
  end function
end subroutine

program main
  use registry
  print *, ask()
  call host(3)
  print *, ask()
end program
