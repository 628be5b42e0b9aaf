! escapes: task_firstprivate.f90: 'callback' does not escape
! compiled by: 22 and later
! Tasks with a copy of a procedure pointer, for which their host waits.
module m
  abstract interface
    integer function source()
    end function
  end interface
  type holder
    procedure(source), pointer, nopass :: f => null()
  end type
contains
  subroutine host(n)
    integer, intent(in) :: n
    procedure(source), pointer :: p
    type(holder) :: kept
    integer :: total, i
    total = 0
    p => callback
    kept%f => callback
    !$omp task firstprivate(p) shared(total)
    !$omp atomic
    total = total + p()
    !$omp end task
    !$omp taskwait
    !$omp taskgroup
    !$omp task firstprivate(p) shared(total)
    !$omp task firstprivate(p) shared(total)
    !$omp atomic
    total = total + p()
    !$omp end task
    !$omp end task
    !$omp end taskgroup
    !$omp taskloop firstprivate(p) shared(total)
    do i = 1, 3
      !$omp atomic
      total = total + p()
    end do
    !$omp end taskloop
    !$omp task firstprivate(kept) shared(total)
    !$omp atomic
    total = total + kept%f()
    !$omp end task
    !$omp taskwait
    print *, total
  contains
    integer function callback()
      callback = n
    end function
  end subroutine
end module

program main
  use m
  !$omp parallel num_threads(2)
  !$omp single
  call host(6)
  !$omp end single
  !$omp end parallel
end program
