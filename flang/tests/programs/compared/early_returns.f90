! A host that usually returns before it needs any address.
module other
  integer :: calls = 0
contains
  subroutine use_it(f)
    interface
      subroutine f()
      end subroutine
    end interface
    calls = calls + 1
    call f()
  end subroutine
end module

integer function host(n)
  use other
  integer, intent(in) :: n
  host = n
  if (n < 0) return
  if (mod(n, 7) /= 0) then
    if (n > 90) call use_it(double)
    return
  end if
  select case (n)
  case (:20)
    call use_it(double)
  case (21:50)
    return
  case default
    call use_it(double)
    call use_it(zero)
  end select
contains
  subroutine double()
    host = 2 * host
  end subroutine
  subroutine zero()
    host = host + 1000
  end subroutine
end function

program main
  use other
  integer :: i, s, host
  external :: host
  s = 0
  do i = -5, 100
    s = s + host(i)
  end do
  print *, s, calls
end program
