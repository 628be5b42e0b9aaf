! A host whose internal procedure captures one variable of each kind. look.c inspects the variables.
module hosts
  implicit none
  type point
    integer :: i = 3
    real(8) :: x = 4
  end type
  type, extends(point) :: named
    character(3) :: label = "abc"
    logical :: flags(2) = .true.
  end type
  type node
    integer :: value = 0
    type(point) :: inner
    type(node), pointer :: rest => null()
  end type
contains
  subroutine host(grid, text, p, z, n, list, f, any, absent, missing, poly)
    interface
      subroutine look(procedure)
        external :: procedure
      end subroutine
      real function f(x)
        real, intent(in) :: x
      end function
    end interface
    real(8) :: grid(:, :)
    character(*) :: text
    integer, pointer :: p(:)
    complex(8) :: z
    integer, value :: n
    integer(8), allocatable :: list(:)
    class(*) :: any
    integer, optional :: absent
    character(*), optional :: missing
    character(:), allocatable :: sized, unsized
    class(point), optional :: poly
    type(node), pointer :: head
    type(point) :: at
    character(5) :: fixed
    real :: local(3)
    logical(1) :: flag
    integer(2), allocatable :: none(:)
    fixed = "abcde"
    local = [1.5, 2.5, 3.5]
    flag = .true.
    sized = "nine char"
    allocate(head)
    head%value = 1
    allocate(head%rest)
    head%rest%value = 2
    call look(internal)
    if (n /= 43) error stop "the change of n is lost"
  contains
    subroutine internal()
      real :: y
      print *, grid(1, 1), text, p(1), z, n, list(1), at%i, fixed, local(2), flag, allocated(none)
      y = f(2.0)
      print *, y
      select type (any)
      type is (integer)
        print *, any
      end select
      print *, present(absent), present(missing), len(sized), allocated(unsized), poly%i, head%value
      n = n + 1
    end subroutine
  end subroutine

  real function twice(x)
    real, intent(in) :: x
    twice = 2 * x
  end function
end module

program main
  use hosts
  implicit none
  real(8) :: grid(4, 6)
  integer, target :: numbers(10)
  integer, pointer :: p(:)
  integer(8), allocatable :: list(:)
  integer :: i
  type(named) :: poly
  grid = reshape([(real(i, 8), i = 1, 24)], [4, 6])
  numbers = [(10 * i, i = 1, 10)]
  p(-1:) => numbers(9:1:-2)
  allocate(list(5:7))
  list = [50_8, 60_8, -70_8]
  call host(grid(4:1:-1, ::2), "a text", p, (1.25d0, -2d0), 42, list, twice, 77, poly=poly)
end program
