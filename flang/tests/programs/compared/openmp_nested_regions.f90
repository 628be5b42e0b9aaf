! A parallel region in a parallel region, in an internal procedure of the host.
module other
contains
  integer function call_it(f)
    interface
      integer function f()
      end function
    end interface
    call_it = f()
  end function
end module

subroutine host(n, total)
  use other
  integer, intent(in) :: n
  integer, intent(out) :: total
  total = 0
  call inside()
contains
  integer function value()
    value = n
  end function
  subroutine inside()
    !$omp parallel num_threads(2) reduction(+: total)
    !$omp parallel num_threads(2) reduction(+: total)
    total = total + call_it(value)
    !$omp end parallel
    total = total + call_it(value)
    !$omp end parallel
  end subroutine
end subroutine

program main
  use omp_lib
  integer :: total, round
  call omp_set_max_active_levels(2)
  call omp_set_dynamic(.false.)
  do round = 1, 50
    call host(round, total)
    if (total /= 6 * round) print *, 'wrong:', round, total
  end do
  print *, total
end program
