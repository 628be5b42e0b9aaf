! A library that receives arrays from another language, and procedures that return pointers. interop/tests/with_compilers/descriptors.rs substitutes
! the compiler's name for COMPILER.
module COMPILER_arrays
  use, intrinsic :: iso_c_binding
  implicit none

  abstract interface
    subroutine on_reals(p) bind(C)
      import
      real(c_double), pointer, intent(in) :: p(:)
    end subroutine
    subroutine on_pointer(p) bind(C)
      import
      integer(c_int), pointer, intent(inout) :: p(:, :)
    end subroutine
    subroutine on_optional(a) bind(C)
      import
      real(c_double), intent(in), optional :: a(:)
    end subroutine
  end interface

contains

  ! Stores the transpose of a matrix, multiplied by two, in another matrix.
  subroutine transposed(a, b) bind(C, name='COMPILER_transposed')
    real(c_double), intent(in) :: a(:, :)
    real(c_double), intent(inout) :: b(:, :)
    if (size(a, 1) /= size(b, 2) .or. size(a, 2) /= size(b, 1)) error stop 'shapes that do not fit'
    b = 2 * transpose(a)
  end subroutine

  ! Returns the sum of a complex vector, which is computed from its parts.
  subroutine summed(a, re, im) bind(C, name='COMPILER_summed')
    complex(c_double_complex), intent(in) :: a(:)
    real(c_double), intent(out) :: re, im
    re = sum(real(a))
    im = sum(aimag(a))
  end subroutine

  integer(c_int) function rank_of(a) bind(C, name='COMPILER_rank_of')
    integer(c_int), intent(in) :: a(..)
    rank_of = rank(a)
  end function

  ! Checks the bounds and the sum of an array that the caller allocated, and frees the array.
  subroutine taken(x, low, high, total) bind(C, name='COMPILER_taken')
    integer(c_int), allocatable, intent(inout) :: x(:)
    integer(c_int), intent(out) :: low, high, total
    if (.not. allocated(x)) error stop 'nothing is allocated'
    low = lbound(x, 1)
    high = ubound(x, 1)
    total = sum(x)
    deallocate(x)
  end subroutine

  subroutine given(x, n) bind(C, name='COMPILER_given')
    integer(c_int), allocatable, intent(inout) :: x(:)
    integer(c_int), value :: n
    integer :: i
    if (allocated(x)) error stop 'something is allocated'
    allocate(x(n))
    x = [(i, i = 1, n)]
  end subroutine

  ! The caller sorts every third element, in place and starting from the end.
  subroutine sorts(sort) bind(C, name='COMPILER_sorts')
    procedure(on_reals) :: sort
    real(c_double), target :: memory(20), before(20)
    real(c_double), pointer :: p(:)
    integer :: i
    memory = [(mod(7 * i, 20) + 0.5_c_double, i = 1, 20)]
    before = memory
    p => memory(19:2:-3)
    call sort(p)
    if (any(p(2:) < p(:size(p) - 1))) error stop 'a section is not sorted'
    if (abs(sum(p) - sum(before(19:2:-3))) > 0) error stop 'a section has other elements'
    p => before(19:2:-3)
    p = memory(19:2:-3)
    if (any(before /= memory)) error stop 'what is not in the section has changed'
  end subroutine

  subroutine associated_by(f) bind(C, name='COMPILER_associated_by')
    procedure(on_pointer) :: f
    integer(c_int), pointer :: p(:, :)
    nullify(p)
    call f(p)
    if (.not. associated(p)) error stop 'a pointer is not associated'
    if (any(lbound(p) /= [0, -1]) .or. any(shape(p) /= [2, 2])) error stop 'a pointer has other bounds'
    if (any([p] /= [1, 3, 9, 11])) error stop 'a pointer leads elsewhere'
    p(1, 0) = 77
    nullify(p)
  end subroutine

  subroutine optionals(f) bind(C, name='COMPILER_optionals')
    procedure(on_optional) :: f
    call f()
    call f([1.0_c_double, 2.0_c_double])
  end subroutine
end module
