! Calls through dummy procedures in procedures whose symbols resemble each other. `f_that_keeps` may keep its argument. Each
! `! promised:` comment is a line about a single call, without its position.
! promised: *@_QMmPapply 1 of 1
! promised: *@_QMmPstep 1 of 1
! promised: *@_QMmPtwo 1 of 1
module m
  abstract interface
    subroutine f_that_keeps(x)
      real, target :: x
    end subroutine
    subroutine f_that_does_not(x)
      real :: x
    end subroutine
  end interface
contains
  subroutine apply_(f)
    procedure(f_that_keeps) :: f
    real, target :: x
    call f(x)
  end subroutine
  subroutine apply(f)
    procedure(f_that_does_not) :: f
    real :: x
    call f(x)
  end subroutine
  subroutine one(f) bind(c, name="two")
    procedure(f_that_keeps) :: f
    real, target :: x
    call f(x)
  end subroutine
  subroutine in_c(f) bind(c, name="xPapply_")
    procedure(f_that_keeps) :: f
    real, target :: x
    call f(x)
  end subroutine
  subroutine two(f)
    procedure(f_that_does_not) :: f
    real :: x
    call f(x)
  end subroutine
  subroutine step(f)
    procedure(f_that_does_not) :: f
    real :: x
    call f(x)
  end subroutine
end module
subroutine host(f)
  use m, only: f_that_keeps
  procedure(f_that_keeps) :: f, g
  real, target :: x
  call f(x)
  return
  entry step(g)
  call g(x)
end subroutine
