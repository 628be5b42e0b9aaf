! escapes: unknown_c.f90:19: 'compare' may escape: it is passed to 'qsort', a BIND(C) procedure
! The C library could retain the address.
module work
contains
subroutine host(list, direction)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), target, intent(inout) :: list(5)
  integer, intent(in) :: direction
  interface
    subroutine c_qsort(base, count, size, compare) bind(c, name='qsort')
      import
      type(c_ptr), value :: base
      integer(c_size_t), value :: count, size
      type(c_funptr), value :: compare
    end subroutine
  end interface

  call c_qsort(c_loc(list), 5_c_size_t, 4_c_size_t, c_funloc(compare))
contains
  integer(c_int) function compare(a, b) bind(c)
    integer(c_int), intent(in) :: a, b
    compare = direction * (a - b)
  end function
end subroutine
end module

program main
  use work
  integer :: list(5) = [3, 1, 2, 5, 4]
  call host(list, -1)
  print *, list
end program
