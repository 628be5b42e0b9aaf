! Calls of the procedures in kept_library.f90. Each `! promised:` comment is a line of the expected list for this file.
!
! promised: either 2
! promised: outside_keeps 2
! promised: outside_plain
! promised: plain_face
! promised: report
! promised: summed
! promised: total 2
! promised: _QMkeeperPkeep_nothing
! promised: _QMkeeperPkeep_target 1
module interfaces
  implicit none
  interface
    subroutine outside_keeps(x, y)
      real, target :: x
      real :: y
    end subroutine
    subroutine outside_waits(x)
      real, asynchronous, target :: x
    end subroutine
    subroutine in_c(x) bind(c, name='in_c_')
      real, target :: x
    end subroutine
    subroutine outside_plain(x, n, text)
      real, intent(inout) :: x
      integer, value :: n
      character(*), intent(in) :: text
    end subroutine
  end interface
  abstract interface
    subroutine face_that_keeps(x)
      real, target :: x
    end subroutine
  end interface
end module

subroutine explicit()
  use interfaces
  use keeper
  implicit none
  real, target :: x, z(3)
  real, pointer :: p
  type(box) :: b
  real :: y
  integer :: i
  i = 0; x = 1; y = 2; z = 3
  call keep(i, x)
  x = 10; call bump(); print '(2f8.1)', x, y
  call keep(z)
  z = 20; call bump(); print '(3f8.1)', z
  p => x
  call keep_pointer(p)
  x = 30; call bump(); print '(f8.1)', x
  allocate (b%inside)
  call keep_target(1, b%inside)
  b%inside = 40; call bump(); print '(f8.1)', b%inside
  call outside_keeps(x, y)
  x = 50; y = 51; call bump(); print '(2f8.1)', x, y
  call outside_waits(x)
  x = 60; call bump(); print '(f8.1)', x
  call in_c(x)
  x = 70; call bump(); print '(f8.1)', x
  kept => null()
  call keep_nothing(y, z)
  y = 80; call bump(); print '(f8.1)', y
  call outside_plain(y, 3, 'four')
  y = y + 1; call bump(); print '(f8.1)', y
  call keep_nothing(b%own, [1., 2.])
  print '(f8.1)', b%own
end subroutine

! The variable need be in memory only for each call.
subroutine implicit_calls(n, a, f)
  use keeper, only: kept, bump
  implicit none
  integer, intent(in) :: n
  real, intent(in) :: a(n)
  real, external :: f, total
  real :: summed
  real, target :: seen
  real :: x, y
  integer :: i, k
  do k = 1, 2
    x = a(1)
    do i = 2, n
      if (a(i) > x) x = a(i)
    end do
    call report(x)
  end do
  kept => seen
  y = 3; seen = 4
  call either(seen, y)
  seen = 5; call bump(); call either(y, y)
  print '(2f8.1)', seen, y
  print '(f8.1)', total(f, n)
  print '(f8.1)', summed(y, y)
end subroutine

! There are two interfaces for one procedure, and one of them permits the procedure to keep the address.
subroutine one_face()
  external :: two_faces
  real :: x
  call two_faces(x)
end subroutine

subroutine other_face()
  use keeper, only: bump
  interface
    subroutine two_faces(x)
      real, target :: x
    end subroutine
  end interface
  real, target :: x
  call two_faces(x)
  x = 90; call bump(); print '(f8.1)', x
end subroutine

! There is an interface, and a call of the same function without an interface.
subroutine has_interface()
  interface
    real function held(x)
      real :: x
    end function
  end interface
  real :: x
  x = 1
  x = held(x)
end subroutine

subroutine has_type()
  use keeper, only: bump
  real, target :: x
  real :: held, y
  common y
  y = held(x)
  x = 110; call bump(); print '(f8.1)', x
end subroutine

! There are two interfaces with one name. One of them is for a renamed procedure.
subroutine unrelated()
  interface
    subroutine plain_face(x)
      real :: x
    end subroutine
  end interface
end subroutine

subroutine renamed()
  use keeper, only: bump
  use interfaces, only: plain_face => face_that_keeps
  procedure(plain_face) :: outside_renamed
  real, target :: x
  call outside_renamed(x)
  x = 100; call bump(); print '(f8.1)', x
end subroutine

program main
  real, external :: square
  integer :: i
  call explicit()
  call implicit_calls(100, [(real(modulo(i * 37, 101)), i = 1, 100)], square)
  call other_face()
  call has_type()
  call renamed()
end program

real function square(i)
  integer, intent(in) :: i
  square = real(i)**2
end function
