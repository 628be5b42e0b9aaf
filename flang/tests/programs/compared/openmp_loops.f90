! A worksharing loop in which every thread calls the host's procedures.
subroutine accumulate(f, i, s)
  interface
    real function f(i)
      integer, intent(in) :: i
    end function
  end interface
  integer, intent(in) :: i
  real, intent(inout) :: s
  s = s + f(i)
end subroutine

subroutine host(factor)
  real, intent(in) :: factor
  real :: s, t
  integer :: i
  external :: accumulate
  s = 0
  t = 0
  !$omp parallel do reduction(+: s, t) schedule(dynamic, 3)
  do i = 1, 1000
    call accumulate(weight, i, s)
    if (mod(i, 10) == 0) call accumulate(unit, i, t)
  end do
  !$omp end parallel do
  print '(2f12.1)', s, t
contains
  real function weight(i)
    integer, intent(in) :: i
    weight = factor * i
  end function
  real function unit(i)
    integer, intent(in) :: i
    unit = merge(1.0, 0.0, i > 0)
  end function
end subroutine

program main
  call host(1.0)
  call host(2.0)
end program
