! escapes: pieces_in_turn.f90: 'callback' does not escape
! Two recursive siblings pass the rest of an array to each other, in different steps, and also the host's pointer.
module other
  abstract interface
    integer function source()
    end function
  end interface
  type :: holder
    integer(8) :: id = 0
    procedure(source), nopass, pointer :: get => null()
  end type
end module

subroutine host(n)
  use other
  integer, intent(in) :: n
  type(holder), target :: x(30)
  procedure(source), pointer :: p
  integer :: i
  p => callback
  call one(x, n, p)
  print *, (x(i)%get(), i = 1, n)
contains
  integer function callback()
    callback = n
  end function
  recursive subroutine one(x, n, p)
    integer, intent(in) :: n
    type(holder), intent(inout), target :: x(*)
    procedure(source), pointer, intent(in) :: p
    if (n <= 0) return
    x(1)%get => p
    call two(x(2), n - 1, x(1)%get)
  end subroutine
  recursive subroutine two(x, n, p)
    integer, intent(in) :: n
    type(holder), intent(inout), target :: x(*)
    procedure(source), pointer, intent(in) :: p
    if (n <= 0) return
    x(1)%get => p
    if (n > 1) x(2)%get => callback
    call one(x(3), n - 2, p)
    if (n > 25) call two(x(2), 3, p)
  end subroutine
end subroutine

program main
  call host(30)
end program
