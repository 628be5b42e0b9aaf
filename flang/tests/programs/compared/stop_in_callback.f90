! The program stops while a host's procedure runs: may end with live trampolines.
subroutine call_it(f)
  interface
    subroutine f()
    end subroutine
  end interface
  call f()
end subroutine

program main
  integer :: n
  external :: call_it
  n = 3
  call call_it(finish)
  print *, 'not reached'
contains
  subroutine finish()
    print *, 'stopping', n
    stop
  end subroutine
end program
