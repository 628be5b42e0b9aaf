! 5,000 live invocations of a host, which are more than the table's initial number of slots.
module deep
  abstract interface
    integer function reader()
    end function
  end interface
contains
  recursive integer function host(n, below) result(r)
    integer, intent(in) :: n
    procedure(reader) :: below
    integer :: mine
    mine = n
    if (n == 0) then
      r = below()
    else
      r = host(n - 1, here)
    end if
    if (mine /= n) print *, 'overwritten at', n
  contains
    recursive integer function here() result(r)
      r = mine
      if (mine < 5000) r = r + below()
    end function
  end function
  integer function nothing()
    nothing = 0
  end function
end module

program main
  use deep
  print *, host(5000, nothing)
end program
