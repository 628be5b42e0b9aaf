! Loops over x, which the run-time library reads and writes: they are vectorized if the optimizer knows that
! the library does not retain its address.
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
