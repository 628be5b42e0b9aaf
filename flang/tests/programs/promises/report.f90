subroutine report(x)
  real, intent(inout) :: x
  print '(f6.1)', x
  x = 1e6
end subroutine

subroutine report_count(k)
  integer, intent(inout) :: k
  print '(i6)', k
  k = huge(k)
end subroutine

program main
  real :: a(1000)
  integer :: i
  a = [(real(mod(i * 7, 1000)), i = 1, 1000)]
  call maxima(3, 1000, a)
  call maxima(1, 1, a)
  call counts(2, 1000, int(a))
end program
