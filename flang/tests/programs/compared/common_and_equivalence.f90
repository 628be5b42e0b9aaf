! Variables in COMMON and EQUIVALENCE, and variables of the host.
subroutine call_it(f)
  external :: f
  call f()
end subroutine

subroutine host(n)
  integer :: n, a(4), b, pair(2)
  common /shared/ a, b
  equivalence (pair(1), local)
  integer :: local
  external :: call_it
  pair = [n, 2 * n]
  call call_it(update)
  print *, a, b, pair
contains
  subroutine update()
    a(n) = a(n) + local
    b = b + pair(2)
    local = -local
  end subroutine
end subroutine

program main
  integer :: a(4), b, i
  common /shared/ a, b
  a = 0
  b = 100
  do i = 1, 4
    call host(i)
  end do
end program
