program main
  use hosts
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function inits() bind(c)
      import
    end function
  end interface
  integer, external :: work
  integer :: before
  print *, outer(20), chosen(7)
  ! Each invocation of a host creates at most one trampoline, and none if it needs none.
  before = inits()
  print *, early(-1), inits() - before
  before = inits()
  print *, early(0), inits() - before
  before = inits()
  print *, early(10), inits() - before
  before = inits()
  print *, outer(5), inits() - before
  before = inits()
  print *, chosen(5), inits() - before
contains
  integer function early(n)
    integer, intent(in) :: n
    early = work(n)
  end function
end program

integer function work(n)
  use library
  integer, intent(in) :: n
  integer :: i
  work = -1
  if (n < 0) return
  work = 0
  do i = 1, n
    work = work + fold(twice, i) + fold(thrice, i)
    if (i > 5) work = work + fold(twice, i)
    call sibling()
  end do
contains
  integer function twice(x)
    integer, intent(in) :: x
    twice = 2 * x + n
  end function
  integer function thrice(x)
    integer, intent(in) :: x
    thrice = 3 * x + n
  end function
  subroutine sibling()
    work = work + fold(twice, 1)
  end subroutine
end function
