! The loop of reduction.f90, and a call of `dummy` that passes a TARGET.
subroutine reduction(ntimes, ld, n, a, b)
  integer ntimes, ld, n, i, nl
  real a(n), b(ld, n), x
  real, target :: t
  call init(ld, n, a, b, 's314 ')
  do nl = 1, ntimes
    x = a(1)
    do i = 2, n
      if (a(i) .gt. x) x = a(i)
    end do
    call dummy(ld, n, a, b, x)
  end do
  call dummy(ld, n, a, b, t)
  call check(x, n)
end subroutine
