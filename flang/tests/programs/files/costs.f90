! If an optimizer can see the callee, it makes the call direct, and no trampoline is created.
module costs
  use, intrinsic :: iso_c_binding
  implicit none
  abstract interface
    integer function op(x)
      integer, intent(in) :: x
    end function
  end interface
  interface
    integer(c_int) function inits() bind(c)
      import
    end function
  end interface
contains
  integer function by_pointer(n) result(r)
    integer, intent(in) :: n
    procedure(op), pointer :: p
    p => inner
    r = p(1)
  contains
    integer function inner(x)
      integer, intent(in) :: x
      inner = x + n
    end function
  end function
  integer function applied(f, x)
    procedure(op) :: f
    integer, intent(in) :: x
    applied = f(x)
  end function
  integer function by_local(n) result(r)
    integer, intent(in) :: n
    r = applied(inner, 2)
  contains
    integer function inner(x)
      integer, intent(in) :: x
      inner = x * n
    end function
  end function
  ! The address is taken in a sibling.
  integer function by_sibling(n) result(r)
    integer, intent(in) :: n
    r = 0
    call sibling(2)
    call sibling(3)
  contains
    subroutine sibling(k)
      integer, intent(in) :: k
      r = r + applied(inner, k)
    end subroutine
    integer function inner(x)
      integer, intent(in) :: x
      inner = x * n
    end function
  end function
end module
program main
  use costs
  implicit none
  integer :: i, sum, before, many = 40000
  before = inits()
  sum = 0
  do i = 1, many
    sum = modulo(sum + by_pointer(i), 9973)
  end do
  print *, 'pointer', sum, inits() - before
  before = inits()
  do i = 1, many
    sum = modulo(sum + by_local(i), 9973)
  end do
  print *, 'local', sum, inits() - before
  before = inits()
  do i = 1, many
    sum = modulo(sum + by_sibling(i), 9973)
  end do
  print *, 'sibling', sum, inits() - before
end program
