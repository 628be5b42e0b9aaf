! Hosts that are left by an exception of their callee. They contain no handler for it.
module hosts
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    subroutine call_back(f, round) bind(c)
      import
      type(c_funptr), value :: f
      integer(c_int), value :: round
    end subroutine
  end interface
contains
  subroutine host(round, sum) bind(c)
    integer(c_int), value :: round
    integer(c_int), intent(inout) :: sum
    call call_back(c_funloc(inner), round)
    call sibling()
  contains
    subroutine inner() bind(c)
      sum = sum + 1
    end subroutine
    subroutine sibling()
      call call_back(c_funloc(inner), round + 1)
    end subroutine
  end subroutine
end module
