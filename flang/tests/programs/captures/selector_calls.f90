subroutine write_through()
  type s
    real :: r
    class(*), allocatable :: c
  end type
  interface
    subroutine bar()
    end subroutine
  end interface
  type(s), target :: o
  associate (x => o%r)
    call keep(x)
  end associate
  o%r = 1
  call bar()
  print '(f3.1)', o%r
end subroutine
program main
  call write_through()
end program
