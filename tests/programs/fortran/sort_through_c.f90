! An internal procedure as the comparator of C's qsort.
module sorting
  use, intrinsic :: iso_c_binding
  interface
    subroutine qsort(base, count, width, compare) bind(c)
      import
      type(c_ptr), value :: base
      integer(c_size_t), value :: count, width
      type(c_funptr), value :: compare
    end subroutine
  end interface
contains
  subroutine sort_by(keys, order)
    real, intent(in) :: keys(:)
    integer(c_int), intent(inout), target :: order(:)
    integer :: comparisons
    comparisons = 0
    call qsort(c_loc(order), size(order, kind=c_size_t), 4_c_size_t, c_funloc(compare))
    print '(a,l1)', 'compared ', comparisons > 0
  contains
    integer(c_int) function compare(a, b) bind(c)
      integer(c_int), intent(in) :: a, b
      comparisons = comparisons + 1
      compare = merge(-1, merge(1, 0, keys(a) > keys(b)), keys(a) < keys(b))
    end function
  end subroutine
end module

program main
  use sorting
  integer(c_int), target :: order(6) = [1, 2, 3, 4, 5, 6]
  call sort_by([3.5, 1.5, 2.5, 9.0, -4.0, 0.0], order)
  print '(6i3)', order
end program
