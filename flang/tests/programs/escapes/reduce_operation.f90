! escapes: reduce_operation.f90: 'larger' does not escape
! The run-time library calls the operation of REDUCE, and does not retain it.
module other
contains
  integer function host(list, least)
    integer, intent(in) :: list(:), least
    host = reduce(list, larger)
  contains
    pure integer function larger(a, b)
      integer, intent(in) :: a, b
      larger = max(a, b, least)
    end function
  end function
end module

program main
  use other
  print *, host([1, 3, 2], 2), host([1, 3, 2], 7)
end program
