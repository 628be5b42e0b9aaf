! Exits by alternate return, goto and an error branch.
subroutine check(f, *, *)
  interface
    integer function f()
    end function
  end interface
  if (f() > 10) return 1
  if (f() < 0) return 2
end subroutine

subroutine host(n)
  integer, intent(in) :: n
  integer :: unit
  external :: check
  unit = 1
  call check(value, *10, *20)
  print *, 'between', n
  return
10 print *, 'above', n
  goto 30
20 print *, 'below', n
  return
30 unit = 2
  call check(value, *40, *20)
  print *, 'not reached'
40 print *, 'done', unit
contains
  integer function value()
    value = n * unit
  end function
end subroutine

program main
  call host(5)
  call host(50)
  call host(-5)
end program
