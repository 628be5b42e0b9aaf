! An internal procedure as an argument, in a complete program.
program main
  integer :: y
  y = 1
  call apply(nested)
  if (y /= 2) stop 1
contains
  subroutine nested(x)
    integer :: x
    y = y + x
  end subroutine
  subroutine apply(f)
    external f
    call f(1)
  end subroutine
end program
