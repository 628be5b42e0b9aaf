! Calls of module procedures that are defined in another file.
subroutine module_calls(ntimes, n, a)
  use elsewhere
  integer, intent(in) :: ntimes, n
  real, intent(in) :: a(n)
  integer :: i, nl
  real :: x
  real, allocatable, target :: b(:)
  do nl = 1, ntimes
    x = a(1)
    do i = 2, n
      if (a(i) > x) x = a(i)
    end do
    call show(x)
  end do
  b = a
  call describe(a(::2), b)
end subroutine
