! Procedure pointer components, in an array of a derived type that several hosts fill.
module handlers
  implicit none
  abstract interface
    integer function handler(x)
      integer, intent(in) :: x
    end function
  end interface
  type :: entry
    integer :: id = 0
    procedure(handler), nopass, pointer :: run => null()
  end type
contains
  integer function run_all(table, x)
    type(entry), intent(in) :: table(:)
    integer, intent(in) :: x
    integer :: i
    run_all = 0
    do i = 1, size(table)
      if (associated(table(i)%run)) run_all = run_all + table(i)%id * table(i)%run(x)
    end do
  end function
  recursive subroutine fill(table, depth)
    type(entry), intent(inout) :: table(:)
    integer, intent(in) :: depth
    table(depth)%id = depth
    table(depth)%run => add
    if (depth < size(table)) then
      call fill(table, depth + 1)
    else
      print *, run_all(table, 100)
    end if
    table(depth)%run => null()
  contains
    integer function add(x)
      integer, intent(in) :: x
      add = x + depth
    end function
  end subroutine
end module

program main
  use handlers
  type(entry) :: table(5)
  call fill(table, 1)
  print *, run_all(table, 1)
  call fill(table(1:3), 1)
end program
