! The same test with an internal procedure compiled by flang.
program control
  integer :: y, seen
  y = 41
  call apply(internal)
  print '(a,i0)', 'called: ', seen
  if (seen /= 42) stop 1
contains
  subroutine apply(f)
    external :: f
    call f(1)
  end subroutine
  subroutine internal(x)
    integer, intent(in) :: x
    seen = x + y
  end subroutine
end program
