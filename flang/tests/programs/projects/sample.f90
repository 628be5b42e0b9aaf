! The Fortran library of the sample projects: a procedure that C calls, and whose internal procedure is called back.
module callbacks
  use, intrinsic :: iso_c_binding
  implicit none
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

  integer(c_int) function host(local) bind(c)
    integer(c_int), value :: local
    host = apply(internal, 1)
    print '(a, i0)', 'Fortran: ', host
  contains
    integer function internal(x)
      integer, intent(in) :: x
      internal = local + x
    end function
  end function
end module
