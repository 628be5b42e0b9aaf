! Two procedures whose names differ by `_`, one of which retains its argument's address.
subroutine test(r)
  interface
    subroutine keep_(x)
      integer, target :: x
    end subroutine
    subroutine keep(x)
      integer :: x
    end subroutine
  end interface
  integer, target :: x
  integer :: r, y
  x = 0; y = 0
  call keep_(x)
  x = 1
  call poke()
  r = x
  call keep(y)
end subroutine

program main
  integer :: r
  call test(r)
  print *, r
end program
