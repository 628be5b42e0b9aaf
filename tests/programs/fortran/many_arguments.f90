! More arguments than registers, of mixed kinds, by reference and by value.
module wide
  use, intrinsic :: iso_c_binding
contains
  subroutine call_it(f)
    interface
      subroutine f(a, b, c, d, e, g, h, x, y, z, s)
        import
        integer, intent(in) :: a, b, c, d, e, g, h
        real(c_double), intent(in) :: x, y, z
        character(*), intent(in) :: s
      end subroutine
    end interface
    call f(1, 2, 3, 4, 5, 6, 7, 1.5_c_double, 2.5_c_double, 3.5_c_double, 'tail')
  end subroutine

  subroutine call_by_value(f)
    interface
      real(c_double) function f(a, b, c, d, e, g, h, x, y, z, u, v, w, p, q, r, t) bind(c)
        import
        integer(c_int), value :: a, b, c, d, e, g, h
        real(c_double), value :: x, y, z, u, v, w, p, q, r, t
      end function
    end interface
    print '(f12.3)', f(1, 2, 3, 4, 5, 6, 7, .1d0, .2d0, .3d0, .4d0, .5d0, .6d0, .7d0, .8d0, .9d0, 1.d0)
  end subroutine

  subroutine host(base)
    integer, intent(in) :: base
    call call_it(show)
    call call_by_value(total)
  contains
    subroutine show(a, b, c, d, e, g, h, x, y, z, s)
      integer, intent(in) :: a, b, c, d, e, g, h
      real(c_double), intent(in) :: x, y, z
      character(*), intent(in) :: s
      print '(8i4,3f6.2,1x,a)', base, a, b, c, d, e, g, h, x, y, z, s
    end subroutine
    real(c_double) function total(a, b, c, d, e, g, h, x, y, z, u, v, w, p, q, r, t) bind(c)
      integer(c_int), value :: a, b, c, d, e, g, h
      real(c_double), value :: x, y, z, u, v, w, p, q, r, t
      total = base + a + b + c + d + e + g + h + x + y + z + u + v + w + p + q + r + t
    end function
  end subroutine
end module

program main
  use wide
  call host(1000)
end program
