! Knuth's test: each invocation has its own trampoline, and all are alive together.
module knuth
contains
  recursive integer function a(k_in, x1, x2, x3, x4, x5) result(value)
    integer, intent(in) :: k_in
    interface
      recursive integer function x1()
      end function
      recursive integer function x2()
      end function
      recursive integer function x3()
      end function
      recursive integer function x4()
      end function
      recursive integer function x5()
      end function
    end interface
    integer :: k
    k = k_in
    if (k <= 0) then
      value = x4() + x5()
    else
      value = b()
    end if
  contains
    recursive integer function b() result(value)
      k = k - 1
      value = a(k, b, x1, x2, x3, x4)
    end function
  end function
  integer function one()
    one = 1
  end function
  integer function minus_one()
    minus_one = -1
  end function
  integer function zero()
    zero = 0
  end function
end module

program main
  use knuth
  print *, a(10, one, minus_one, minus_one, one, zero)
  print *, a(12, one, minus_one, minus_one, one, zero)
end program
