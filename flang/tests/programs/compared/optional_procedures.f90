! Optional dummy procedures, present and absent, passed on.
module other
contains
  subroutine outer(n, f)
    integer, intent(in) :: n
    interface
      integer function f(i)
        integer, intent(in) :: i
      end function
    end interface
    optional :: f
    call middle(n, f)
  end subroutine
  subroutine middle(n, g)
    integer, intent(in) :: n
    interface
      integer function g(i)
        integer, intent(in) :: i
      end function
    end interface
    optional :: g
    if (present(g)) then
      print *, 'given', g(n)
    else
      print *, 'absent', n
    end if
  end subroutine
  subroutine host(k)
    integer, intent(in) :: k
    call outer(k)
    call outer(k, plus)
    call middle(k, plus)
  contains
    integer function plus(i)
      integer, intent(in) :: i
      plus = i + 10 * k
    end function
  end subroutine
end module

program main
  use other
  call host(1)
  call host(2)
end program
