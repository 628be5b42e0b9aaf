! The caller of the procedures, in a separate file.
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
