! Small hosts that an optimizer inlines into one function, in a loop.
module small
contains
  real function area(f, a, b)
    interface
      real function f(x)
        real, intent(in) :: x
      end function
    end interface
    real, intent(in) :: a, b
    area = (b - a) / 2 * (f(a) + f(b))
  end function
  real function first(k)
    real, intent(in) :: k
    first = area(line, 0.0, 1.0)
  contains
    real function line(x)
      real, intent(in) :: x
      line = k * x
    end function
  end function
  real function second(k)
    real, intent(in) :: k
    if (k > 8) then
      second = first(k)
    else
      second = area(both, 0.0, k) + first(k + 1)
    end if
  contains
    real function both(x)
      real, intent(in) :: x
      both = first(x) + k
    end function
  end function
end module

program main
  use small
  integer :: i
  real :: s
  s = 0
  do i = 1, 10
    s = s + first(real(i)) + second(real(i))
  end do
  print '(f10.2)', s
end program
