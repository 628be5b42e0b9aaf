! escapes: array_by_pieces.f90: 'callback' does not escape
! A recursive sibling gets an array that is one element shorter at each level.
module other
  abstract interface
    integer function source()
    end function
  end interface
  type :: holder
    procedure(source), nopass, pointer :: get => null()
  end type
end module

subroutine host(n)
  use other
  integer, intent(in) :: n
  type(holder) :: x(10)
  integer :: i
  call fill(x, n)
  print *, (x(i)%get(), i = 1, n)
contains
  integer function callback()
    callback = n
  end function
  recursive subroutine fill(x, n)
    integer, intent(in) :: n
    type(holder), intent(inout) :: x(n)
    if (n == 0) return
    x(1)%get => callback
    call fill(x(2), n - 1)
  end subroutine
end subroutine

program main
  call host(10)
end program
