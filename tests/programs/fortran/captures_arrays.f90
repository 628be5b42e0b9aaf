! Explicit-shape, assumed-shape and allocatable arrays of the host, read and written.
module tools
contains
  subroutine each(n, f)
    integer, intent(in) :: n
    interface
      subroutine f(i)
        integer, intent(in) :: i
      end subroutine
    end interface
    integer :: i
    do i = 1, n
      call f(i)
    end do
  end subroutine

  subroutine host(shape_from_caller)
    real, intent(inout) :: shape_from_caller(:)
    real :: fixed(4)
    real, allocatable :: grown(:)
    allocate (grown(0))
    fixed = 0.5
    call each(size(shape_from_caller), step)
    print '(a,4f6.2)', 'fixed ', fixed
    print '(a,i0,a,*(f6.2))', 'grown to ', size(grown), ':', grown
  contains
    subroutine step(i)
      integer, intent(in) :: i
      shape_from_caller(i) = shape_from_caller(i) * 2
      fixed(mod(i, 4) + 1) = fixed(mod(i, 4) + 1) + shape_from_caller(i)
      grown = [grown, real(i) / 4]
    end subroutine
  end subroutine
end module

program main
  use tools
  real :: a(7) = [1., 2., 3., 4., 5., 6., 7.]
  call host(a)
  call host(a(1:7:2))
  print '(7f6.2)', a
end program
