! An internal procedure that takes its own address and recurses, while the host's variables change.
program main
  integer :: calls
  calls = 0
  print *, descend(down, 6), calls
  print *, descend(down, 3), calls
contains
  recursive integer function descend(f, n) result(r)
    interface
      recursive integer function f(n) result(r)
        integer, intent(in) :: n
      end function
    end interface
    integer, intent(in) :: n
    r = f(n)
  end function
  recursive integer function down(n) result(r)
    integer, intent(in) :: n
    calls = calls + 1
    if (n == 0) then
      r = calls
    else
      r = n + descend(down, n - 1)
    end if
  end function
end program
