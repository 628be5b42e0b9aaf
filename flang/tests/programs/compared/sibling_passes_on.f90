! A chain of siblings, each of which passes another one to an external procedure.
subroutine apply(f, x)
  interface
    subroutine f(x)
      integer, intent(inout) :: x
    end subroutine
  end interface
  integer, intent(inout) :: x
  call f(x)
end subroutine

subroutine host(start)
  integer, intent(in) :: start
  integer :: steps, x
  external :: apply
  steps = 0
  x = start
  call apply(first, x)
  print *, x, steps
contains
  subroutine first(x)
    integer, intent(inout) :: x
    steps = steps + 1
    x = x + 1
    call apply(second, x)
    call apply(second, x)
  end subroutine
  subroutine second(x)
    integer, intent(inout) :: x
    steps = steps + 10
    x = 2 * x
    if (x < 100) call apply(first, x)
  end subroutine
end subroutine

program main
  call host(1)
  call host(7)
end program
