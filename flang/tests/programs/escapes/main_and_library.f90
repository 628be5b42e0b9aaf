! escapes: main_and_library.f90:26: 'compare' does not escape
! The main program outlives anything that a library retains.
program main
  use, intrinsic :: iso_c_binding
  implicit none
  type, bind(c) :: table
    integer(c_long) :: id
    type(c_funptr) :: compare
  end type
  type(table), save, target :: t
  integer(c_int), target :: list(5) = [3, 1, 2, 5, 4]
  integer :: direction
  interface
    subroutine c_qsort(base, count, size, compare) bind(c, name='qsort')
      import
      type(c_ptr), value :: base
      integer(c_size_t), value :: count, size
      type(c_funptr), value :: compare
    end subroutine
  end interface

  direction = -1
  t%id = 1

  ! The address is taken here.
  t%compare = c_funloc(compare)
  call c_qsort(c_loc(list), 5_c_size_t, 4_c_size_t, t%compare)
  print *, list
contains
  integer(c_int) function compare(a, b) bind(c)
    integer(c_int), intent(in) :: a, b
    compare = direction * (a - b)
  end function
end program
