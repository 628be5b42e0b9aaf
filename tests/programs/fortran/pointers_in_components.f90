! Procedure pointers in components of derived types, several of them in one table.
module drivers
  abstract interface
    integer function operation(x)
      integer, intent(in) :: x
    end function
  end interface
  type :: driver
    character(8) :: name
    procedure(operation), pointer, nopass :: run => null()
  end type
contains
  subroutine drive(table, x)
    type(driver), intent(in) :: table(:)
    integer, intent(in) :: x
    integer :: i
    do i = 1, size(table)
      print '(2a,i0)', table(i)%name, ' ', table(i)%run(x)
    end do
  end subroutine

  subroutine host(offset, factor)
    integer, intent(in) :: offset, factor
    type(driver) :: table(3)
    integer :: calls
    calls = 0
    table(1)%name = 'add'
    table(1)%run => add
    table(2)%name = 'multiply'
    table(2)%run => multiply
    table(3)%name = 'count'
    table(3)%run => count_calls
    call drive(table, 7)
    call drive(table(3:1:-1), 11)
    print '(a,i0)', 'calls ', calls
  contains
    integer function add(x)
      integer, intent(in) :: x
      calls = calls + 1
      add = x + offset
    end function
    integer function multiply(x)
      integer, intent(in) :: x
      calls = calls + 1
      multiply = x * factor
    end function
    integer function count_calls(x)
      integer, intent(in) :: x
      calls = calls + 1
      count_calls = calls * 1000 + x
    end function
  end subroutine
end module

program main
  use drivers
  call host(100, 3)
  call host(-1, -2)
end program
