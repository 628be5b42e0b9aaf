! A subprogram with two entries. The internal procedure belongs to both.
subroutine call_it(f)
  interface
    subroutine f()
    end subroutine
  end interface
  call f()
end subroutine

subroutine one(n)
  integer :: n, m
  external :: call_it
  call call_it(show)
  return
entry two(m)
  call call_it(show_other)
  return
contains
  subroutine show()
    print *, 'one', n
  end subroutine
  subroutine show_other()
    print *, 'two', m
  end subroutine
end subroutine

program main
  call one(1)
  call two(2)
  call one(3)
end program
