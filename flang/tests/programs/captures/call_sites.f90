! Calls of one procedure, some of which pass a TARGET. Each `! promised:` comment is a line about a single call, without its
! position.
! promised: *@call_sites_ 1 2 of 2
! promised: *@call_sites_ none
! promised: *@call_sites_ 2 of 2
! promised: *@call_sites_ none
! promised: described_@call_sites_ 1 of 2
! promised: dummy_@_QFcall_sitesPinside 1 3 of 3
! promised: dummy_@call_sites_ 1 2 3 of 3
! promised: dummy_@call_sites_ 1 3 of 3
! promised: dummy_@call_sites_ 1 3 of 3
! promised: dummy_@call_sites_ 1 3 of 3
! promised: fu_@call_sites_ none of 1
! promised: fu_@call_sites_ 1 of 1
! promised: returns_@call_sites_ 1 2 of 2
module call_sites_types
  type t
    real :: r
  end type
  abstract interface
    subroutine face(x, y)
      real :: x(:), y
    end subroutine
    subroutine face_that_keeps(x, y)
      real, target :: x
      real :: y
    end subroutine
    subroutine face_in_c(x) bind(c)
      real :: x
    end subroutine
  end interface
end module

subroutine call_sites(n, a, t1, f, g, h, k)
  use call_sites_types
  interface
    subroutine described(x, y)
      real, target :: x(:)
      real, target :: y
    end subroutine
    subroutine returns(x, *, y)
      real :: x, y
    end subroutine
  end interface
  procedure(face) :: f
  procedure(face_that_keeps) :: h
  procedure(face_in_c) :: k
  external :: g
  real, external :: fu
  integer n
  real a(n), x, y(5)
  real, target :: t1
  type(t), target :: o
  call dummy(n, a, x)
  call dummy(n, t1, a); call dummy(n, t1, y(2))
  x = fu(t1) + fu(x) + fu(a(1))
  x = fu(x)
  call f(a, x)
  call g(x)
  call h(t1, x); call k(x)
  call described(a, t1)
  call returns(x, *10, a(2))
10 continue
  associate (q => o%r)
    call dummy(x, q, (x))
  end associate
  call inside()
contains
  subroutine inside()
    call dummy(n, t1, x)
  end subroutine
end subroutine
