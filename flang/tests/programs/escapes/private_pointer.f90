! escapes: private_pointer.f90: 'callback' does not escape
! compiled by: 22 and later
! Each thread of a region has its own pointer, to which it copies the host's.
module other
  abstract interface
    integer function source()
    end function
  end interface
end module

subroutine host(n)
  use other
  integer, intent(in) :: n
  procedure(source), pointer :: a, b
  integer :: total
  a => callback
  total = 0
  !$omp parallel private(b) num_threads(3)
  b => a
  !$omp critical
  total = total + b()
  !$omp end critical
  !$omp end parallel
  print *, total > 0
contains
  integer function callback()
    callback = n
  end function
end subroutine

program main
  call host(6)
end program
