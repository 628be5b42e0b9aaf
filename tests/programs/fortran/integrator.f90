! A recursive adaptive integrator that calls an internal function, itself nested in a hot host.
module quadrature
  integer, parameter :: dp = kind(1d0)
  abstract interface
    real(dp) function integrand(x)
      import
      real(dp), intent(in) :: x
    end function
  end interface
contains
  recursive real(dp) function adapt(f, a, b, tolerance, depth) result(s)
    procedure(integrand) :: f
    real(dp), intent(in) :: a, b, tolerance
    integer, intent(in) :: depth
    real(dp) :: m, whole, halves
    m = (a + b) / 2
    whole = (b - a) / 6 * (f(a) + 4 * f(m) + f(b))
    halves = (b - a) / 12 * (f(a) + 4 * f((a + m) / 2) + 2 * f(m) + 4 * f((m + b) / 2) + f(b))
    if (abs(halves - whole) < 15 * tolerance .or. depth > 40) then
      s = halves
    else
      s = adapt(f, a, m, tolerance / 2, depth + 1) + adapt(f, m, b, tolerance / 2, depth + 1)
    end if
  end function

  real(dp) function double_integral(power)
    integer, intent(in) :: power
    integer :: evaluations
    evaluations = 0
    double_integral = adapt(inner, 0d0, 1d0, 1d-7, 0)
    print '(a,l1)', 'evaluated ', evaluations > 1000
  contains
    real(dp) function inner(x)
      real(dp), intent(in) :: x
      inner = over_y(x)
      evaluations = evaluations + 1
    end function
    real(dp) function over_y(x)
      real(dp), intent(in) :: x
      over_y = line(x, power)
    end function
  end function

  real(dp) function line(x, power)
    real(dp), intent(in) :: x
    integer, intent(in) :: power
    line = adapt(f, 0d0, 2d0, 1d-9, 0)
  contains
    real(dp) function f(y)
      real(dp), intent(in) :: y
      f = sin(10 * x * y) * x**power
    end function
  end function
end module

program main
  use quadrature
  real(dp) :: total
  integer :: power
  do power = 0, 3
    total = double_integral(power)
    print '(f14.8)', total
  end do
end program
