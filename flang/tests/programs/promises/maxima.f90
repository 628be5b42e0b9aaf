! Loops that are vectorized only if the optimizer knows that the procedures do not retain the addresses of x and k.
subroutine maxima(ntimes, n, a)
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
  end do
end subroutine

subroutine counts(ntimes, n, a)
  integer, intent(in) :: ntimes, n, a(n)
  integer :: i, nl, k
  do nl = 1, ntimes
    k = a(1)
    do i = 2, n
      if (a(i) > k) k = a(i)
    end do
    call report_count(k)
  end do
end subroutine
