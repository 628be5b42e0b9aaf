! Internal functions whose results are returned in every way: integers of all sizes, reals, complex,
! logical, character, a derived type, an array.
module kinds
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  type :: point
    real(real64) :: x, y, z
    integer :: tag
  end type
contains
  subroutine show_i8(f)
    interface
      integer(int8) function f()
        import
      end function
    end interface
    print '(i0)', f()
  end subroutine
  subroutine show_i16(f)
    interface
      integer(int16) function f()
        import
      end function
    end interface
    print '(i0)', f()
  end subroutine
  subroutine show_i64(f)
    interface
      integer(int64) function f()
        import
      end function
    end interface
    print '(i0)', f()
  end subroutine
  subroutine show_r32(f)
    interface
      real(real32) function f()
        import
      end function
    end interface
    print '(f10.4)', f()
  end subroutine
  subroutine show_r64(f)
    interface
      real(real64) function f()
        import
      end function
    end interface
    print '(f14.8)', f()
  end subroutine
  subroutine show_complex(f)
    interface
      complex(real64) function f()
        import
      end function
    end interface
    print '(2f10.4)', f()
  end subroutine
  subroutine show_logical(f)
    interface
      logical function f()
      end function
    end interface
    print '(l1)', f()
  end subroutine
  subroutine show_point(f)
    interface
      type(point) function f()
        import
      end function
    end interface
    type(point) :: p
    p = f()
    print '(3f8.3,i4)', p%x, p%y, p%z, p%tag
  end subroutine
  subroutine show_array(f)
    interface
      function f() result(r)
        integer :: r(5)
      end function
    end interface
    print '(5i4)', f()
  end subroutine

  subroutine host(seed)
    integer, intent(in) :: seed
    call show_i8(i8)
    call show_i16(i16)
    call show_i64(i64)
    call show_r32(r32)
    call show_r64(r64)
    call show_complex(z64)
    call show_logical(odd)
    call show_point(pt)
    call show_array(powers)
  contains
    integer(int8) function i8()
      i8 = int(-seed, int8)
    end function
    integer(int16) function i16()
      i16 = int(seed * 100, int16)
    end function
    integer(int64) function i64()
      i64 = int(seed, int64) * 10000000000_int64
    end function
    real(real32) function r32()
      r32 = seed / 8.0
    end function
    real(real64) function r64()
      r64 = seed / 3.0_real64
    end function
    complex(real64) function z64()
      z64 = cmplx(seed, -seed, real64) * (0, 1)
    end function
    logical function odd()
      odd = mod(seed, 2) == 1
    end function
    type(point) function pt()
      pt = point(seed, seed * 2, seed * 3, seed)
    end function
    function powers() result(r)
      integer :: r(5), i
      r = [(seed**i, i = 0, 4)]
    end function
  end subroutine
end module

program main
  use kinds
  call host(3)
  call host(2)
end program
