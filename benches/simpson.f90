! This function is separate from the host, so that no compiler sees which procedure it calls.
real(8) function simpson(f, a, b)
  interface
    real(8) function f(x)
      real(8), intent(in) :: x
    end function
  end interface
  real(8), intent(in) :: a, b
  simpson = (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b))
end function
