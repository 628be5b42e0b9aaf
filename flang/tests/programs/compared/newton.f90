! A solver in the old style: EXTERNAL dummies with implicit interfaces.
      real*8 function newton(f, df, x0, tol)
      real*8 f, df, x0, tol, x, dx
      external f, df
      integer i
      x = x0
      do i = 1, 100
        dx = f(x) / df(x)
        x = x - dx
        if (abs(dx) < tol) exit
      end do
      newton = x
      end

      subroutine roots(n)
      integer n, evaluations
      real*8 newton, r
      external newton
      evaluations = 0
      r = newton(power, slope, 2.0d0, 1.0d-12)
      print '(i3,f14.10,l2)', n, r, evaluations > 3
      contains
        real*8 function power(x)
        real*8 x
        evaluations = evaluations + 1
        power = x**n - 2
        end function
        real*8 function slope(x)
        real*8 x
        slope = n * x**(n - 1)
        end function
      end

      program main
      integer i
      do i = 2, 6
        call roots(i)
      end do
      end
