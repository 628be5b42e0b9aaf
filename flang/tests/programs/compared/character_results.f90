! Functions with character results, with a length that is passed and with one from the host.
module other
contains
  subroutine show(f, n)
    interface
      character(8) function f(i)
        integer, intent(in) :: i
      end function
    end interface
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      print '(3a)', '[', f(i), ']'
    end do
  end subroutine
  subroutine host(prefix, n)
    character(*), intent(in) :: prefix
    integer, intent(in) :: n
    character(:), allocatable :: suffix
    suffix = repeat('x', n)
    call show(name, n)
  contains
    character(8) function name(i)
      integer, intent(in) :: i
      name = prefix // suffix(1:i)
    end function
  end subroutine
end module

program main
  use other
  call host('ab', 3)
  call host('', 2)
end program
