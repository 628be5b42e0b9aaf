! An integrator for differential equations, whose right-hand side is the host's procedure.
module ode
  implicit none
  integer, parameter :: dp = kind(1d0)
  abstract interface
    subroutine derivative(t, y, dy)
      import
      real(dp), intent(in) :: t, y(:)
      real(dp), intent(out) :: dy(:)
    end subroutine
  end interface
contains
  subroutine rk4(f, t, y, h, steps)
    procedure(derivative) :: f
    real(dp), intent(inout) :: t, y(:)
    real(dp), intent(in) :: h
    integer, intent(in) :: steps
    real(dp), dimension(size(y)) :: k1, k2, k3, k4
    integer :: i
    do i = 1, steps
      call f(t, y, k1)
      call f(t + h / 2, y + h / 2 * k1, k2)
      call f(t + h / 2, y + h / 2 * k2, k3)
      call f(t + h, y + h * k3, k4)
      y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
      t = t + h
    end do
  end subroutine
  subroutine swing(damping)
    real(dp), intent(in) :: damping
    real(dp) :: t, y(2)
    integer :: calls
    calls = 0
    t = 0
    y = [1.0_dp, 0.0_dp]
    call rk4(pendulum, t, y, 0.01_dp, 500)
    print '(f8.3,2f12.7,i6)', t, y, calls
  contains
    subroutine pendulum(t, y, dy)
      real(dp), intent(in) :: t, y(:)
      real(dp), intent(out) :: dy(:)
      calls = calls + 1
      dy(1) = y(2)
      dy(2) = -sin(y(1)) - damping * y(2) + 0 * t
    end subroutine
  end subroutine
end module

program main
  use ode
  call swing(0.0_dp)
  call swing(0.3_dp)
end program
