! An integrator that calls an internal procedure of a hot recursive host: `integrator CASE COUNT` prints the nanoseconds
! that COUNT invocations of the host took. Each invocation passes the procedure to Simpson's rule twice, and Simpson's
! rule calls it three times. There is only one case, with any name.
module pieces
  integer, parameter :: long = selected_int_kind(18), depth = 9, invocations = 2**(depth + 1) - 1
contains
  recursive real(8) function host(a, b, level) result(area)
    real(8), intent(in) :: a, b
    integer, intent(in) :: level
    interface
      real(8) function simpson(f, a, b)
        interface
          real(8) function f(x)
            real(8), intent(in) :: x
          end function
        end interface
        real(8), intent(in) :: a, b
      end function
    end interface
    real(8) :: middle
    middle = (a + b) / 2
    area = simpson(f, a, middle) + simpson(f, middle, b)
    if (level > 0) area = (area + host(a, middle, level - 1) + host(middle, b, level - 1)) / 2
  contains
    real(8) function f(x)
      real(8), intent(in) :: x
      f = (x - a) * (b - x) + middle
    end function
  end function
end module

program main
  use pieces
  integer(long) :: i, rounds, count, start, finish, rate
  real(8) :: total
  character(20) :: argument
  call get_command_argument(2, argument)
  read (argument, *) count
  rounds = max(1_long, count / invocations)
  total = 0
  call system_clock(start, rate)
  do i = 1, rounds
    total = total + host(0d0, 1d0 + i, depth)
  end do
  call system_clock(finish)
  if (total < 0) stop 1
  print '(i0)', nint((finish - start) * 1d9 / rate * count / (rounds * invocations), long)
end program
