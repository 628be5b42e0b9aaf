! Intrinsic procedures of the run-time library, which keep none of these arguments.
subroutine characters(a, b, c, set)
  character(*) :: a, b, set
  character(:), allocatable :: c
  print *, a < b, index(a, b), scan(a, set), verify(a, set), len_trim(b)
  c = trim(a)
  c = adjustl(b)
  c = repeat(a, 3)
end subroutine
subroutine surroundings(date, time, zone, values, x, seed, text)
  character(*) :: date, time, zone, text
  integer :: values(8), seed(:), length
  real :: x(:)
  call date_and_time(date, time, zone, values)
  call random_number(x)
  call random_seed(put=seed)
  call get_environment_variable('HOME', text, length)
  call get_command_argument(1, text)
  print *, length
end subroutine
