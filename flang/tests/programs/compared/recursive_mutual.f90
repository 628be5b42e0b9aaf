! Two hosts, each of which calls the other through the other's
! procedure.
module mutual
  abstract interface
    recursive integer function op(n) result(r)
      integer, intent(in) :: n
    end function
  end interface
contains
  recursive integer function even(n, f) result(r)
    integer, intent(in) :: n
    procedure(op) :: f
    if (n <= 0) then
      r = f(n)
    else
      r = odd(n - 1, more)
    end if
  contains
    recursive integer function more(k) result(r)
      integer, intent(in) :: k
      r = n + f(k + 1)
    end function
  end function
  recursive integer function odd(n, f) result(r)
    integer, intent(in) :: n
    procedure(op) :: f
    r = even(n - 1, less)
  contains
    recursive integer function less(k) result(r)
      integer, intent(in) :: k
      r = f(k) - n / 2
    end function
  end function
end module

program main
  use mutual
  integer :: i
  print *, (even(i, last), i = 0, 40, 8)
contains
  recursive integer function last(n) result(r)
    integer, intent(in) :: n
    r = n * 1000 + i
  end function
end program
