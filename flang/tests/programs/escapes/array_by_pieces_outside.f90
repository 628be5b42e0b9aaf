! escapes: array_by_pieces_outside.f90: 'callback' escapes: it is stored in an argument
! A recursive module procedure gets a part of the caller's array, one element shorter at each level.
module other
  abstract interface
    integer function source()
    end function
  end interface
  type :: holder
    integer(8) :: id = 0
    procedure(source), nopass, pointer :: get => null()
  end type
contains
  recursive subroutine fill(x, n, f)
    integer, intent(in) :: n
    type(holder), intent(inout) :: x(*)
    procedure(source) :: f
    if (n == 0) return
    x(1)%get => f
    call fill(x(2), n - 1, f)
  end subroutine
end module

subroutine host(x, n)
  use other
  integer, intent(in) :: n
  type(holder), intent(inout) :: x(n)
  integer :: i
  call fill(x, n, callback)
  print *, (x(i)%get(), i = 1, n)
contains
  integer function callback()
    callback = n
  end function
end subroutine

program main
  use other
  interface
    subroutine host(x, n)
      import
      integer, intent(in) :: n
      type(holder), intent(inout) :: x(n)
    end subroutine
  end interface
  type(holder) :: x(10)
  call host(x, 10)
  print *, x(7)%get()
end program
