! Variables that the run-time library and another file's procedures change between loops: promises change no output.
program same_output
  use elsewhere
  implicit none
  integer :: i, j, k, n
  real :: x, a(50), b(50)
  real(8) :: d
  complex :: z
  logical :: l
  character(20) :: c, buf
  real, allocatable :: al(:)
  n = 20
  do j = 1, 3
    k = 0; x = 0; d = 0; l = .false.; c = 'x'
    do i = 1, n
      a(i) = mod(i * 7 * j, 13)
      if (a(i) > x) x = a(i)
      k = k + i; d = d + a(i)
      if (a(i) > 5) l = .not. l
    end do
    write (buf, '(f8.2,i6)') x, k
    read (buf, '(f8.2,i6)') x, k
    print *, x, k, d, l, trim(c), buf
    do i = 1, n
      if (a(i) + k > x) x = a(i) + k
    end do
    write (c, '(i4)') j
    read (c, *) d
    call show(x)
    print *, x, d, c
    inquire (unit=6, opened=l, number=k)
    do i = 1, n
      if (a(i) > k) k = k + 1
    end do
    inquire (file='/nonexistent', exist=l, iostat=k)
    print *, l, k
    al = a(1:n); b = 1
    call describe(b(1:3), al)
    do i = 1, n
      al(i) = al(i) + x
    end do
    z = (1., 2.)
    write (buf, *) z
    read (buf, *) z
    do i = 1, n
      z = z + a(i)
    end do
    print *, z, sum(al), size(al)
    open (newunit=k, status='scratch')
    write (k, *) x, a(:4)
    rewind k
    read (k, *) x, b(:4)
    close (k)
    x = x + sum(b(:4))
    print *, x
  end do
end program
