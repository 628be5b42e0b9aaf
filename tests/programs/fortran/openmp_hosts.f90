! Threads, each with its own hosts, thousands of times.
module work
contains
  integer function apply(f, x)
    interface
      integer function f(x)
        integer, intent(in) :: x
      end function
    end interface
    integer, intent(in) :: x
    apply = f(x)
  end function

  integer function host(thread, round)
    integer, intent(in) :: thread, round
    integer :: secret
    secret = thread * 100000 + round
    host = apply(check, round)
  contains
    integer function check(x)
      integer, intent(in) :: x
      check = secret - x
    end function
  end function
end module

program main
  use work
  integer :: thread, round, wrong
  wrong = 0
  !$omp parallel do private(round) reduction(+:wrong) num_threads(4) schedule(static, 1)
  do thread = 1, 8
    do round = 1, 20000
      if (host(thread, round) /= thread * 100000) wrong = wrong + 1
    end do
  end do
  !$omp end parallel do
  print '(a,i0)', 'wrong answers: ', wrong
end program
