! An internal procedure that passes on the dummy procedures of its host, and its own dummy procedures.
module other
contains
  integer function compose(f, g, x)
    interface
      integer function f(x)
        integer, intent(in) :: x
      end function
      integer function g(x)
        integer, intent(in) :: x
      end function
    end interface
    integer, intent(in) :: x
    compose = apply(both, x) + apply(f, x)
  contains
    integer function both(x)
      integer, intent(in) :: x
      both = f(g(x))
    end function
  end function
  integer function apply(h, x)
    interface
      integer function h(x)
        integer, intent(in) :: x
      end function
    end interface
    integer, intent(in) :: x
    apply = h(x)
  end function
end module

program main
  use other
  integer :: n
  do n = 1, 3
    print *, compose(add, times, 5), compose(times, add, 5)
  end do
contains
  integer function add(x)
    integer, intent(in) :: x
    add = x + n
  end function
  integer function times(x)
    integer, intent(in) :: x
    times = x * n
  end function
end program
