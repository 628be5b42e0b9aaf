! Calls of procedures that a list contains with argument numbers. The comment after a call contains the line of the list, and the
! positions (counted from 1) of the arguments that the call may mark as not captured.
subroutine numbered(n, x, c, f, h)
  implicit none
  interface
    subroutine numbers(a, b)
      real, value :: a
      real :: b
    end subroutine
    subroutine complexes(a, b)
      complex(8), value :: a
      real :: b
    end subroutine
    function whole(a, b)
      real :: whole(4), a, b
    end function
    function second(a, b)
      real :: second(4), a, b
    end function
    subroutine alternate(a, *, b)
      real :: a, b
    end subroutine
    subroutine assumed(a, b)
      real :: a(:), b(:)
    end subroutine
  end interface
  integer :: n
  real :: x, y, z, v(4), w(4)
  character(*) :: c
  character(4) :: c4
  real, allocatable :: al(:)
  procedure(), pointer :: p
  procedure() :: f, h
  external :: outside
  character(4), external :: text, letters
  real, external :: scalar
  y = x; z = n; w = 1; al = w; p => f
  call first(x, y)                  ! first 1: 1
  call last(x, y)                   ! last 2: 2
  call both(x, y, z)                ! both 1 3: 1 3
  call middle(x, y, z)              ! middle 2:
  call every(x, al, v(n), c, al(n)) ! every: 1 2 3 5
  call numbers(x, y)                ! numbers 2: 2
  call complexes((1d0, 1d0), y)     ! complexes 2:
  call alternate(x, *10, y)         ! alternate 1 3:
10 v = whole(x, y)                  ! whole 1 2: 1 2
  v = second(x, y)                  ! second 2:
  w(1) = scalar(x, y)               ! scalar 2: 2
  c4 = text(x, y)                   ! text 2: 4
  call assumed(v, al)               ! assumed 2: 2
  call functions(letters, x, y)     ! functions 2 3: 3
  call solve(x, inner, y)           ! solve: 1 3
  call solves(x, outside, y)        ! solves 1 2 3: 1 3
  call dummies(x, f, y)             ! dummies: 1 3
  call pointers(x, p, y)            ! pointers 1 2 3: 1 3
  print *, v, w, y, z, c4
contains
  subroutine inner()
    print *, x, n
  end subroutine
end subroutine
