! The tests of callers.f90, with procedures without BIND(C), for which each compiler uses its own
! conventions. interop/tests/with_compilers/descriptors.rs substitutes the compiler's name for COMPILER.
module COMPILER_plain
  implicit none

  type record
    real(8) :: weight
    integer(4) :: count
    integer(4) :: rest(3)
  end type

  type :: shape_type
    integer :: sides = 0
  end type
  type, extends(shape_type) :: square
    real(8) :: side = 1
  end type

  abstract interface
    subroutine on_shape(a)
      real(8), intent(inout) :: a(:, :)
    end subroutine
    subroutine on_pointer(p)
      integer(4), pointer, intent(inout) :: p(:)
    end subroutine
    subroutine on_target(p)
      integer(4), pointer, intent(in) :: p(:)
    end subroutine
    subroutine on_allocatable(x)
      real(4), allocatable, intent(inout) :: x(:)
    end subroutine
    subroutine on_text(t)
      character(len=*), intent(inout) :: t
    end subroutine
    subroutine on_texts(n, t)
      integer, intent(in) :: n
      character(len=*), intent(in) :: t(:)
    end subroutine
    subroutine on_optional(a)
      real(8), intent(in), optional :: a(:)
    end subroutine
    subroutine on_class(c)
      import
      class(shape_type), intent(in) :: c
    end subroutine
    subroutine on_classes(c)
      import
      class(shape_type), intent(in) :: c(:)
    end subroutine
    subroutine on_anything(c)
      class(*), intent(in) :: c
    end subroutine
    subroutine on_class_pointer(c)
      import
      class(shape_type), pointer, intent(in) :: c(:, :)
    end subroutine
  end interface
end module

subroutine COMPILER_plain_shapes(f)
  use COMPILER_plain
  implicit none
  procedure(on_shape) :: f
  real(8) :: grid(4, 0:5), none(3, 0)
  integer :: i, j
  do j = 0, 5
    do i = 1, 4
      grid(i, j) = 10 * i + j + 1
    end do
  end do
  call f(grid)
  call f(grid(1:4:3, 5:0:-2))
  call f(none)
end subroutine

subroutine COMPILER_plain_pointers(f)
  use COMPILER_plain
  implicit none
  procedure(on_pointer) :: f
  integer(4), target :: memory(10)
  type(record), target :: records(3)
  integer(4), pointer :: p(:)
  integer :: i
  memory = [(i * i, i = 1, 10)]
  nullify(p)
  call f(p)
  p(-1:) => memory(2:10:4)
  call f(p)
  ! The bounds of the returned array differ: they begin at 5.
  if (lbound(p, 1) /= 5 .or. any(p /= [100, 36, 4])) error stop 'a pointer is not what it should be'
  call f(p)
  ! The stride of a component in an array of structures is larger than its size.
  records%count = [7, 8, 9]
  p => records%count
  call f(p)
  p => records(3:1:-2)%count
  call f(p)
end subroutine

subroutine COMPILER_plain_targets(f)
  use COMPILER_plain
  implicit none
  procedure(on_target) :: f
  integer(4), target :: memory(6)
  memory = [1, 0, 2, 0, 3, 0]
  ! (For a component of an array of structures, gfortran 12 itself passes a wrong address here.)
  call f(memory(1:5:2))
end subroutine

subroutine COMPILER_plain_allocatables(f)
  use COMPILER_plain
  implicit none
  procedure(on_allocatable) :: f
  real(4), allocatable :: x(:)
  call f(x)
  if (.not. allocated(x)) error stop 'an allocatable is not allocated'
  call f(x)
  call f(x)
  if (sum(x) /= 99 * (size(x) - 2) + 3) error stop 'an allocatable is not what it should be'
end subroutine

subroutine COMPILER_plain_characters(f, g)
  use COMPILER_plain
  implicit none
  procedure(on_text) :: f
  procedure(on_texts) :: g
  character(len=5) :: words(4)
  character(len=10) :: text
  words = ['alpha', 'beta ', 'gamma', 'delta']
  text = 'any length'
  call f(text)
  if (text(1:1) /= 'A') error stop 'a text has not changed'
  call f(words(2)(1:4))
  call g(2, words(4:1:-3))
end subroutine

subroutine COMPILER_plain_optionals(f)
  use COMPILER_plain
  implicit none
  procedure(on_optional) :: f
  call f()
  call f([1.0_8, 2.0_8])
end subroutine

subroutine COMPILER_plain_classes(f)
  use COMPILER_plain
  implicit none
  procedure(on_class) :: f
  type(square) :: s
  call f(s)
  call f(shape_type(3))
end subroutine

subroutine COMPILER_plain_class_arrays(show_array, show_any, show_pointer)
  use COMPILER_plain
  implicit none
  procedure(on_classes) :: show_array
  procedure(on_anything) :: show_any
  procedure(on_class_pointer) :: show_pointer
  type(square) :: s(6)
  class(shape_type), pointer :: p(:, :)
  integer :: i
  s%sides = [(i, i = 1, 6)]
  call show_array(s(2:6:2))
  call show_array(s(6:1:-3))
  call show_any('hello')
  call show_any(42)
  call show_any(s(4))
  nullify(p)
  call show_pointer(p)
  allocate(square :: p(0:1, 3))
  p%sides = reshape([10, 11, 12, 13, 14, 15], [2, 3])
  call show_pointer(p)
  deallocate(p)
end subroutine

! The calls in the opposite direction.
real(8) function COMPILER_plain_total(a)
  implicit none
  real(8), intent(in) :: a(:, :)
  COMPILER_plain_total = sum(a) + size(a, 1)
end function

subroutine COMPILER_plain_turn(p)
  implicit none
  integer(4), pointer, intent(inout) :: p(:)
  integer(4), target, save :: elsewhere(10)
  if (.not. associated(p)) return
  elsewhere(:size(p)) = p(ubound(p, 1):lbound(p, 1):-1)
  p(5:) => elsewhere(:size(p))
end subroutine

integer(4) function COMPILER_plain_sum_of_pointer(p)
  implicit none
  integer(4), pointer, intent(in) :: p(:)
  integer :: i
  COMPILER_plain_sum_of_pointer = 0
  do i = lbound(p, 1), ubound(p, 1)
    COMPILER_plain_sum_of_pointer = COMPILER_plain_sum_of_pointer + i * p(i)
  end do
end function

subroutine COMPILER_plain_grow(x)
  implicit none
  real(4), allocatable, intent(inout) :: x(:)
  real(4), allocatable :: longer(:)
  if (.not. allocated(x)) then
    allocate(x(2), source=1.5_4)
    return
  end if
  allocate(longer(size(x) + 1), source=99.0_4)
  longer(:size(x)) = x
  call move_alloc(longer, x)
end subroutine
