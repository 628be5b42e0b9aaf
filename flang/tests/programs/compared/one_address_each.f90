! Within one invocation of the host, a procedure has one address, wherever it is taken.
module other
  abstract interface
    subroutine action()
    end subroutine
  end interface
contains
  logical function same(p, q)
    procedure(action), pointer, intent(in) :: p, q
    same = associated(p, q)
  end function
end module

subroutine host(n)
  use other
  integer, intent(in) :: n
  procedure(action), pointer :: p, q, r
  integer :: i
  p => work
  call elsewhere()
  print *, same(p, q)
  do i = 1, 3
    r => work
    if (.not. same(p, r)) print *, 'another address in round', i
  end do
  r => rest
  print *, same(p, r), n
contains
  subroutine work()
    print *, 'work', n
  end subroutine
  subroutine rest()
    print *, 'rest', n
  end subroutine
  subroutine elsewhere()
    q => work
  end subroutine
end subroutine

program main
  call host(1)
  call host(2)
end program
