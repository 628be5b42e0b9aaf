! Internal procedures that flang compiles for macOS: as actual arguments and as the target of a pointer, in hosts that
! call themselves, called from C (flang.c). This file does not use flang's run-time library.
module pointers
  use, intrinsic :: iso_c_binding
  implicit none
  abstract interface
    integer(c_int) function callback(x)
      import
      integer(c_int) :: x
    end function
  end interface
end module

! Returns the sum of scale * i for i from 1 to n. C code adds up the numbers by calling the internal procedure.
integer(c_int) function summed(n, scale) bind(C)
  use pointers
  implicit none
  integer(c_int), value :: n, scale
  external each
  summed = 0
  call each(add, n)
contains
  subroutine add(i)
    integer(c_int) :: i
    summed = summed + scale * i
  end subroutine
end function

! Knuth's test: which host's variable is accessed?
recursive integer(c_int) function man_or_boy(k, x1, x2, x3, x4, x5) result(a)
  use pointers
  implicit none
  integer(c_int), value :: k
  procedure(callback) :: x1, x2, x3, x4, x5
  integer(c_int) :: zero
  zero = 0
  if (k <= 0) then
    a = x4(zero) + x5(zero)
  else
    a = b(zero)
  end if
contains
  recursive function b(unused) result(its)
    integer(c_int) :: unused, its
    k = k - 1
    its = man_or_boy(k, b, x1, x2, x3, x4)
  end function
end function

integer(c_int) function knuth(k) bind(C)
  use pointers
  implicit none
  integer(c_int), value :: k
  interface
    recursive integer(c_int) function man_or_boy(k, x1, x2, x3, x4, x5)
      import
      integer(c_int), value :: k
      procedure(callback) :: x1, x2, x3, x4, x5
    end function
  end interface
  knuth = man_or_boy(k, one, minus_one, minus_one, one, nought)
contains
  integer(c_int) function one(unused)
    integer(c_int) :: unused
    one = 1
  end function
  integer(c_int) function minus_one(unused)
    integer(c_int) :: unused
    minus_one = -1
  end function
  integer(c_int) function nought(unused)
    integer(c_int) :: unused
    nought = 0
  end function
end function

! The target of a procedure pointer, with further arguments in every kind of register.
real(c_double) function pointed(x) bind(C)
  use pointers
  implicit none
  real(c_double), value :: x
  abstract interface
    real(c_double) function mixed(a, b, c, d)
      import
      integer(c_int), value :: a
      real(c_double), value :: b, d
      integer(c_long), value :: c
    end function
  end interface
  procedure(mixed), pointer :: p
  interface
    real(c_double) function call_mixed(p)
      import
      procedure(mixed), pointer :: p
    end function
  end interface
  p => weighted
  pointed = call_mixed(p)
contains
  real(c_double) function weighted(a, b, c, d)
    integer(c_int), value :: a
    real(c_double), value :: b, d
    integer(c_long), value :: c
    weighted = x * (a + b + c + d)
  end function
end function
