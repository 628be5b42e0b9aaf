! Each thread of a region runs its own host.
module work
contains
  recursive integer function host(n) result(r)
    integer, intent(in) :: n
    integer :: i
    r = 0
    do i = 1, 50
      r = r + through(inner)
    end do
    if (n > 0) r = r + host(n - 1)
  contains
    integer function inner()
      inner = n
    end function
  end function
  integer function through(f)
    interface
      integer function f()
      end function
    end interface
    through = f()
  end function
end module

program main
  use work
  integer :: i, total
  total = 0
  !$omp parallel do reduction(+: total)
  do i = 1, 200
    total = total + host(mod(i, 20))
  end do
  !$omp end parallel do
  print *, total
end program
