! 100,000 live hosts, each with its own trampoline. They are checked twice on the way back.
module deep
  use, intrinsic :: iso_c_binding
  integer, parameter :: depth = 100000
  interface
    integer(c_size_t) function statictramp_live() bind(c)
      import
    end function
  end interface
  integer(c_size_t) :: most = 0
contains
  recursive subroutine call_it(f)
    interface
      subroutine f()
      end subroutine
    end interface
    call f()
  end subroutine

  recursive subroutine host(level, total)
    integer, intent(in) :: level
    integer(c_int64_t), intent(inout) :: total
    integer :: mine
    mine = level
    call call_it(deeper)
    if (mine /= level) error stop 'a host lost its variable'
  contains
    recursive subroutine deeper()
      if (mine == depth) most = statictramp_live()
      if (mine < depth) call host(mine + 1, total)
      total = total + mine
    end subroutine
  end subroutine
end module

program main
  use deep
  integer(c_int64_t) :: total
  integer :: round
  do round = 1, 2
    total = 0
    call host(1, total)
    print '(a,i0,a,i0)', 'sum ', total, ', live at the deepest ', most
    if (total /= depth * (depth + 1_c_int64_t) / 2) error stop 'wrong sum'
    if (most /= depth) error stop 'not all were alive'
  end do
end program
