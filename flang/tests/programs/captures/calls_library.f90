! Procedures that keep the address of a TARGET, and of no other variable. For fortran-calls of tests/tools and call_sites.f90.
module calls_types
  type :: whole
    real :: other = 0, part = 0
  end type
end module

module calls_kept
  type :: pointer_to_real
    real, pointer :: to
  end type
  type(pointer_to_real) :: kept(1000)
  integer :: count = 0
contains
  subroutine add(x)
    real, target :: x
    count = count + 1
    kept(count)%to => x
  end subroutine
end module

subroutine keep(x, is_target)
  use calls_kept
  real, target :: x
  logical :: is_target
  x = x + 0.25
  if (is_target) call add(x)
end subroutine

real function held(x, is_target)
  use calls_kept
  real, target :: x
  logical :: is_target
  if (is_target) call add(x)
  held = x
end function

subroutine turned(x, *, is_target)
  use calls_kept
  real, target :: x
  logical :: is_target
  if (is_target) call add(x)
  if (x > 2) return 1
  x = x + 0.5
end subroutine

subroutine bump()
  use calls_kept
  integer :: i
  do i = 1, count
    kept(i)%to = kept(i)%to + 1
  end do
end subroutine

subroutine forget()
  use calls_kept
  count = 0
end subroutine
