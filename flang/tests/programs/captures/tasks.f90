! A variable that a task changes between two calls.
subroutine work(s, n)
  use tasks_library
  integer :: s, n, x, i
  x = 0
  call spawn(x)
  s = 0
  do i = 1, n
    call wait_for_all()
    s = s + x
  end do
end subroutine

program main
  integer :: s
  !$omp parallel num_threads(2)
  !$omp single
  call work(s, 3)
  !$omp end single
  !$omp end parallel
  print *, s
end program
