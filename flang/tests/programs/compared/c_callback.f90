! An internal procedure with BIND(C), passed to C's qsort as a C function pointer.
subroutine sorted(list, direction)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), intent(in) :: list(6)
  integer, intent(in) :: direction
  integer(c_int), target :: copy(6)
  integer :: comparisons
  interface
    subroutine c_qsort(base, count, size, compare) bind(c, name='qsort')
      import
      type(c_ptr), value :: base
      integer(c_size_t), value :: count, size
      type(c_funptr), value :: compare
    end subroutine
  end interface
  comparisons = 0
  copy = list
  call c_qsort(c_loc(copy), 6_c_size_t, 4_c_size_t, c_funloc(compare))
  print '(6i3,l2)', copy, comparisons > 4
contains
  integer(c_int) function compare(a, b) bind(c)
    type(c_ptr), value :: a, b
    integer(c_int), pointer :: x, y
    call c_f_pointer(a, x)
    call c_f_pointer(b, y)
    comparisons = comparisons + 1
    compare = direction * (x - y)
  end function
end subroutine

program main
  integer :: list(6) = [5, 2, 9, 4, 7, 1]
  call sorted(list, 1)
  call sorted(list, -1)
end program
