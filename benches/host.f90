! A host that creates, calls once and frees a trampoline: `host CASE COUNT` prints the nanoseconds that COUNT of them
! took. There is only one case, with any name.
module pieces
  integer, parameter :: long = selected_int_kind(18)
contains
  integer(long) function host(seed)
    integer(long), intent(in) :: seed
    interface
      integer(long) function apply(f, x)
        import
        interface
          integer(long) function f(x)
            import
            integer(long), intent(in) :: x
          end function
        end interface
        integer(long), intent(in) :: x
      end function
    end interface
    integer(long) :: local
    local = seed
    host = apply(internal, 1_long)
  contains
    integer(long) function internal(x)
      integer(long), intent(in) :: x
      internal = x + local
    end function
  end function
end module

program main
  use pieces
  integer(long) :: i, count, start, finish, rate, total
  character(20) :: argument
  call get_command_argument(2, argument)
  read (argument, *) count
  total = 0
  call system_clock(start, rate)
  do i = 1, count
    total = total + host(i)
  end do
  call system_clock(finish)
  if (total == 42) stop 1
  print '(i0)', nint((finish - start) * 1d9 / rate, long)
end program
