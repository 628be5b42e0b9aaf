! Two live hosts: each callback reaches its own host's variables.
module pair
  abstract interface
    integer function next()
    end function
  end interface
contains
  subroutine interleave(a, b)
    procedure(next) :: a, b
    integer :: i
    do i = 1, 5
      print '(2i6)', a(), b()
    end do
  end subroutine

  subroutine outer(start)
    integer, intent(in) :: start
    integer :: state
    state = start
    call inner(from_outer, start * 100)
    print '(a,i0)', 'outer ends at ', state
  contains
    integer function from_outer()
      state = state + 1
      from_outer = state
    end function
  end subroutine

  subroutine inner(other, start)
    procedure(next) :: other
    integer, intent(in) :: start
    integer :: state
    state = start
    call interleave(other, from_inner)
    print '(a,i0)', 'inner ends at ', state
  contains
    integer function from_inner()
      state = state + 10
      from_inner = state
    end function
  end subroutine
end module

program main
  use pair
  call outer(1)
  call outer(50)
end program
