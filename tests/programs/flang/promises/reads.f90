! Loops over x, which the run-time library reads and writes: they become ones of vectors if the optimizer knows that the
! library keeps no address of it.
subroutine reads(ntimes, n, a)
  integer, intent(in) :: ntimes, n
  real, intent(in) :: a(n)
  integer :: i, nl
  real :: x
  do nl = 1, ntimes
    x = a(1)
    do i = 2, n
      if (a(i) > x) x = a(i)
    end do
    call report(x)
    read *, x
    print *, x
  end do
end subroutine
