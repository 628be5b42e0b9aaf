! Loops around the use, with every kind of exit.
module other
contains
  logical function asks(f, i)
    interface
      logical function f(i)
        integer, intent(in) :: i
      end function
    end interface
    integer, intent(in) :: i
    asks = f(i)
  end function
  integer function host(limit)
    integer, intent(in) :: limit
    integer :: i, j
    host = 0
    outer: do i = 1, 100
      do j = 1, i
        if (asks(stops, j)) cycle outer
        if (asks(leaves, i + j)) exit outer
        if (i > 40) return
        host = host + 1
      end do
    end do outer
    do while (.not. asks(stops, host))
      host = host + 1
    end do
  contains
    logical function stops(i)
      integer, intent(in) :: i
      stops = mod(i, limit) == 0
    end function
    logical function leaves(i)
      integer, intent(in) :: i
      leaves = i > 10 * limit
    end function
  end function
end module

program main
  use other
  integer :: n
  print *, (host(n), n = 1, 12)
end program
