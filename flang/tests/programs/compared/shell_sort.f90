! A generic sort: the caller provides the comparison and the exchange.
module sorting
contains
  subroutine shell(n, less, swap)
    integer, intent(in) :: n
    interface
      logical function less(i, j)
        integer, intent(in) :: i, j
      end function
      subroutine swap(i, j)
        integer, intent(in) :: i, j
      end subroutine
    end interface
    integer :: gap, i, j
    gap = n / 2
    do while (gap > 0)
      do i = gap + 1, n
        j = i
        do while (j > gap)
          if (.not. less(j, j - gap)) exit
          call swap(j, j - gap)
          j = j - gap
        end do
      end do
      gap = gap / 2
    end do
  end subroutine
end module

subroutine sort_names(names, ages)
  use sorting
  character(*), intent(inout) :: names(:)
  integer, intent(inout) :: ages(:)
  call shell(size(names), by_name, exchange)
  print '(*(a,i3,1x))', (trim(names(i)), ages(i), i = 1, size(names))
  call shell(size(names), by_age, exchange)
  print '(*(a,i3,1x))', (trim(names(i)), ages(i), i = 1, size(names))
contains
  logical function by_name(i, j)
    integer, intent(in) :: i, j
    by_name = names(i) < names(j)
  end function
  logical function by_age(i, j)
    integer, intent(in) :: i, j
    by_age = ages(i) < ages(j)
  end function
  subroutine exchange(i, j)
    integer, intent(in) :: i, j
    character(len(names)) :: name
    integer :: age
    name = names(i)
    age = ages(i)
    names(i) = names(j)
    ages(i) = ages(j)
    names(j) = name
    ages(j) = age
  end subroutine
end subroutine

program main
  interface
    subroutine sort_names(names, ages)
      character(*), intent(inout) :: names(:)
      integer, intent(inout) :: ages(:)
    end subroutine
  end interface
  character(6) :: names(5)
  integer :: ages(5)
  names = [character(6) :: 'delta', 'alpha', 'echo', 'bravo', 'cobra']
  ages = [31, 45, 12, 27, 8]
  call sort_names(names, ages)
end program
