! escapes: signal_handler.f90: 'handler' may escape: it is passed to _FortranASignal, which keeps it
! The run-time library calls SIGNAL's argument when a signal arrives.
subroutine host(n)
  integer, intent(in) :: n
  call signal(10, handler)
contains
  subroutine handler(number)
    integer, value :: number
    print *, n, number
  end subroutine
end subroutine

program main
  call host(5)
end program
