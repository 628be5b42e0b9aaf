! The address is taken in a sibling, and used after the sibling has returned.
subroutine host(n)
  integer, intent(in) :: n
  abstract interface
    integer function reader()
    end function
  end interface
  procedure(reader), pointer :: p
  integer :: base, i
  base = 10 * n
  call choose(n)
  do i = 1, 3
    base = base + 1
    print *, p()
  end do
contains
  integer function plain()
    plain = base
  end function
  integer function negated()
    negated = -base
  end function
  subroutine choose(which)
    integer, intent(in) :: which
    if (mod(which, 2) == 0) then
      p => plain
    else
      p => negated
    end if
  end subroutine
end subroutine

program main
  call host(1)
  call host(2)
  call host(3)
end program
