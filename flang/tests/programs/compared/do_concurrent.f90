! Callbacks together with DO CONCURRENT, FORALL-like assignments and WHERE, which work on the host's arrays.
module other
contains
  subroutine twice(f)
    interface
      subroutine f()
      end subroutine
    end interface
    call f()
    call f()
  end subroutine
end module

subroutine host(n)
  use other
  integer, intent(in) :: n
  integer :: a(n), i
  do concurrent (i = 1:n)
    a(i) = i
  end do
  call twice(step)
  print *, a
contains
  subroutine step()
    integer :: j
    where (mod(a, 2) == 0)
      a = a / 2
    elsewhere
      a = 3 * a + 1
    end where
    do concurrent (j = 1:n)
      a(j) = a(j) + n
    end do
  end subroutine
end subroutine

program main
  call host(5)
  call host(8)
end program
