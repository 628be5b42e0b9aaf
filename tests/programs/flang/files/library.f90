! What calls back, in a file of its own.
module library
  implicit none
  abstract interface
    integer function op(x)
      integer, intent(in) :: x
    end function
  end interface
contains
  integer function fold(f, n)
    procedure(op) :: f
    integer, intent(in) :: n
    integer :: i
    fold = 0
    do i = 1, n
      fold = fold + f(i)
    end do
  end function
end module
