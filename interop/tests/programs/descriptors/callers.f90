! Procedures that call their arguments with descriptor arguments, and some that take such arguments.
! interop/tests/with_compilers/descriptors.rs substitutes the compiler's name for COMPILER.
module COMPILER_callers
  use, intrinsic :: iso_c_binding
  implicit none

  abstract interface
    subroutine on_shape(a) bind(C)
      import
      real(c_double), intent(inout) :: a(:, :)
    end subroutine
    subroutine on_anything(a) bind(C)
      type(*), intent(in) :: a(..)
    end subroutine
    subroutine on_pointer(p) bind(C)
      import
      integer(c_int), pointer, intent(inout) :: p(:)
    end subroutine
    subroutine on_allocatable(x) bind(C)
      import
      real(c_float), allocatable, intent(inout) :: x(:)
    end subroutine
    subroutine on_text(t) bind(C)
      import
      character(len=*, kind=c_char), intent(in) :: t
    end subroutine
    subroutine on_texts(t) bind(C)
      import
      character(len=*, kind=c_char), intent(in) :: t(:)
    end subroutine
  end interface

  type, bind(C) :: pair
    integer(c_int) :: n
    real(c_double) :: x
  end type

  integer(c_int), target, save :: elsewhere(10)

contains

  subroutine shapes(f) bind(C, name='COMPILER_shapes')
    procedure(on_shape) :: f
    real(c_double) :: grid(4, 6), none(3, 0)
    integer :: i, j
    do j = 1, 6
      do i = 1, 4
        grid(i, j) = 10 * i + j
      end do
    end do
    call f(grid)
    call f(grid(1:4:3, 6:1:-2))
    call f(none)
  end subroutine

  subroutine ranks(f) bind(C, name='COMPILER_ranks')
    procedure(on_anything) :: f
    integer(c_int8_t) :: i1(2)
    integer(c_int16_t) :: i2(1, 2)
    integer(c_int32_t) :: i4(1, 2, 3)
    integer(c_int64_t) :: i8(1, 2, 3, 4)
    real(c_float) :: r4
    real(c_double) :: r8(1, 1, 1, 1, 1, 1, 2)
    complex(c_float_complex) :: c4(3)
    complex(c_double_complex) :: c8(3)
    logical(c_bool) :: l1(3)
    logical(4) :: l4(3)
    character(kind=c_char) :: t(5)
    type(c_ptr) :: p(2)
    type(pair) :: s(2)
    call f(i1)
    call f(i2)
    call f(i4)
    call f(i8)
    call f(r4)
    call f(r8)
    call f(c4)
    call f(c8)
    call f(l1)
    call f(l4)
    call f(t)
    call f(p)
    call f(s)
  end subroutine

  subroutine pointers(f) bind(C, name='COMPILER_pointers')
    procedure(on_pointer) :: f
    integer(c_int), target :: memory(10)
    integer(c_int), pointer :: p(:)
    integer :: i
    memory = [(i * i, i = 1, 10)]
    nullify(p)
    call f(p)
    p(-1:) => memory(2:10:4)
    call f(p)
    if (associated(p)) memory(1) = sum(p * [(i, i = 1, size(p))])
    call f(p)
  end subroutine

  subroutine allocatables(f) bind(C, name='COMPILER_allocatables')
    procedure(on_allocatable) :: f
    real(c_float), allocatable :: x(:)
    call f(x)
    if (.not. allocated(x)) allocate(x(2), source=1.5_c_float)
    call f(x)
    call f(x)
    if (sum(x) /= 99 * (size(x) - 2) + 3) error stop 'an allocatable is not what it should be'
  end subroutine

  subroutine characters(f, g) bind(C, name='COMPILER_characters')
    procedure(on_text) :: f
    procedure(on_texts) :: g
    character(len=5) :: words(4) = ['alpha', 'beta ', 'gamma', 'delta']
    call f('any length')
    call f(words(2)(1:4))
    call g(words(4:1:-3))
  end subroutine

  ! The calls in the opposite direction.
  real(c_double) function total(a) bind(C, name='COMPILER_total')
    real(c_double), intent(in) :: a(:, :)
    total = sum(a) + size(a, 1)
  end function

  subroutine grow(x) bind(C, name='COMPILER_grow')
    real(c_float), allocatable, intent(inout) :: x(:)
    real(c_float), allocatable :: longer(:)
    if (.not. allocated(x)) then
      allocate(x(2), source=1.5_c_float)
      return
    end if
    allocate(longer(size(x) + 1), source=99.0_c_float)
    longer(:size(x)) = x
    call move_alloc(longer, x)
  end subroutine

  subroutine turn(p) bind(C, name='COMPILER_turn')
    integer(c_int), pointer, intent(inout) :: p(:)
    ! (gfortran 12 itself loses the first element of p => p(3:1:-1).)
    if (.not. associated(p)) return
    elsewhere(:size(p)) = p(ubound(p, 1):lbound(p, 1):-1)
    p(5:) => elsewhere(:size(p))
  end subroutine

end module
