! A loop that is vectorized if `dummy`, without an explicit interface, does not retain the address of x.
subroutine reduction(ntimes, ld, n, a, b)
  integer ntimes, ld, n, i, nl
  real a(n), b(ld, n), x
  call init(ld, n, a, b, 's314 ')
  do nl = 1, ntimes
    x = a(1)
    do i = 2, n
      if (a(i) .gt. x) x = a(i)
    end do
    call dummy(ld, n, a, b, x)
  end do
  call check(x, n)
end subroutine
