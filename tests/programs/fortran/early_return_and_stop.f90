! A host that returns early on one path and uses its trampolines on another, and a program that ends with STOP.
! may end with live trampolines
module exits
contains
  subroutine twice(f)
    interface
      subroutine f()
      end subroutine
    end interface
    call f()
    call f()
  end subroutine

  subroutine host(n)
    integer, intent(in) :: n
    integer :: left
    left = n
    if (n == 0) return
    call twice(step)
    if (left > 5) return
    call twice(finish)
  contains
    subroutine step()
      left = left - 1
      print '(a,i0)', 'left ', left
    end subroutine
    subroutine finish()
      if (left <= -2) stop
      left = left - 1
    end subroutine
  end subroutine
end module

program main
  use exits
  call host(0)
  call host(20)
  call host(4)
  call host(1)
  print '(a)', 'not reached'
end program
