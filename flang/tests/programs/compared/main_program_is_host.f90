! The main program as the host.
program main
  integer :: seen, list(6)
  seen = 0
  list = [5, 3, 8, 1, 9, 2]
  call each(list, count_large)
  print *, seen
  call each(list, show)
contains
  subroutine count_large(x)
    integer, intent(in) :: x
    if (x > 4) seen = seen + 1
  end subroutine
  subroutine show(x)
    integer, intent(in) :: x
    print *, x, x > seen
  end subroutine
  subroutine each(items, action)
    integer, intent(in) :: items(:)
    interface
      subroutine action(x)
        integer, intent(in) :: x
      end subroutine
    end interface
    integer :: i
    do i = 1, size(items)
      call action(items(i))
    end do
  end subroutine
end program
