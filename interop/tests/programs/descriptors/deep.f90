! Objects of derived types that deep.c copies and checks. The list is that of flang's design document.
module deep
  implicit none

  type :: list
    real :: head
    type(list), allocatable :: rest
  end type
  type, extends(list) :: named
    character(:), allocatable :: name
  end type

  type :: part
    integer, allocatable :: numbers(:)
    class(*), allocatable :: any
  end type
  type :: whole
    character(3) :: short
    type(part) :: parts(-1:0, 2)
    type(part), allocatable :: more(:, :)
    class(list), allocatable :: poly
    class(*), allocatable :: anys(:)
    character(:), allocatable :: words(:)
    real, allocatable :: none(:)
    type(part), allocatable :: empty(:)
    procedure(answer), pointer, nopass :: f => null()
    real, pointer :: shared(:) => null()
    complex(8) :: z
  end type
  type, extends(whole) :: wider
    integer, allocatable :: last
  end type

  type :: node
    integer :: value
    type(node), pointer :: next => null(), previous => null()
    class(list), pointer :: object => null()
    integer, pointer :: odd(:) => null(), same(:) => null()
    integer, pointer :: inside => null()
  end type

  type :: owner
    character(6) :: name
    integer, pointer :: a(:) => null(), b(:) => null(), c(:) => null()
    integer, allocatable :: own(:)
    type(list), pointer :: last => null()
    type(list), allocatable :: first
  end type

contains

  integer function answer()
    answer = 42
  end function

  subroutine shorten(a)
    type(list), allocatable :: a, rest
    do while (allocated(a))
      call move_alloc(a%rest, rest)
      call move_alloc(rest, a)
    end do
  end subroutine

  logical function same(a, b)
    type(list), allocatable, target, intent(in) :: a, b
    type(list), pointer :: p, q
    same = allocated(a) .eqv. allocated(b)
    if (.not. (same .and. allocated(a))) return
    p => a
    q => b
    do
      same = p%head == q%head .and. .not. associated(p, q) .and. (allocated(p%rest) .eqv. allocated(q%rest))
      if (.not. same .or. .not. allocated(p%rest)) exit
      p => p%rest
      q => q%rest
    end do
  end function

  subroutine must(is, what)
    logical, intent(in) :: is
    character(*), intent(in) :: what
    if (is) return
    print *, 'failed: ', what
    error stop
  end subroutine
end module

! Calls f with the descriptor of a list of n elements, and then checks what f has assigned.
subroutine on_list(n, f)
  use deep
  implicit none
  integer :: n
  interface
    subroutine f(a, b)
      import list
      type(list), allocatable :: a, b
    end subroutine
  end interface
  type(list), allocatable, target :: a, b
  type(list), allocatable :: next
  integer :: i
  do i = n, 1, -1
    allocate (next)
    next%head = i
    if (allocated(a)) call move_alloc(a, next%rest)
    call move_alloc(next, a)
  end do
  call f(a, b)
  call must(allocated(a) .eqv. n > 0, 'the list is still there')
  call must(same(a, b), 'the lists are equal')
  ! flang's own deallocation is recursive, so it would overflow the stack for a long list.
  call shorten(a)
  call shorten(b)
end subroutine

! Calls f with polymorphic arrays of many kinds of components.
subroutine on_whole(f)
  use deep
  implicit none
  interface
    subroutine f(a, b)
      import whole
      class(whole), allocatable :: a(:), b(:)
    end subroutine
  end interface
  class(whole), allocatable, target :: a(:), b(:)
  real, target :: shared(2)
  integer :: i
  allocate (wider :: a(5:6))
  do i = 5, 6
    a(i)%short = 'abc'
    a(i)%z = (1, 2)
    a(i)%parts(0, 1)%numbers = [i, 2, 3]
    allocate (a(i)%parts(-1, 2)%any, source='text')
    allocate (a(i)%more(0:1, 3))
    a(i)%more(1, 3)%numbers = [7, i]
    allocate (a(i)%more(0, 1)%any, source=named(head=2.5, name='inner'))
    allocate (a(i)%poly, source=named(head=1.5, name='outer'))
    allocate (a(i)%anys(2), source=[4.5d0, 5.5d0])
    a(i)%words = ['one  ', 'seven']
    allocate (a(i)%empty(0))
    a(i)%f => answer
    a(i)%shared => shared
  end do
  select type (a)
  type is (wider)
    a(6)%last = 9
  end select
  call f(a, b)
  call must(lbound(b, 1) == 5 .and. ubound(b, 1) == 6, 'bounds')
  ! The original changes, and the copy does not.
  do i = 5, 6
    a(i)%parts(0, 1)%numbers = 0
    a(i)%words = ''
    a(i)%more(1, 3)%numbers = 0
    deallocate (a(i)%poly, a(i)%anys, a(i)%more)
  end do
  do i = 5, 6
    call must(b(i)%short == 'abc' .and. b(i)%z == (1, 2), 'plain components')
    call must(all(b(i)%parts(0, 1)%numbers == [i, 2, 3]), 'an array in a nested object')
    call must(.not. allocated(b(i)%parts(0, 2)%numbers) .and. .not. allocated(b(i)%none), 'not allocated')
    select type (x => b(i)%parts(-1, 2)%any)
    type is (character(*))
      call must(x == 'text', 'a text in class(*)')
    class default
      call must(.false., 'class(*)')
    end select
    call must(all(b(i)%more(1, 3)%numbers == [7, i]), 'an array in an array of objects')
    call must(lbound(b(i)%more, 1) == 0 .and. ubound(b(i)%more, 2) == 3, 'bounds of an array of objects')
    select type (x => b(i)%more(0, 1)%any)
    type is (named)
      call must(x%name == 'inner' .and. x%head == 2.5, 'an object in class(*)')
    class default
      call must(.false., 'an object in class(*)')
    end select
    select type (x => b(i)%poly)
    type is (named)
      call must(x%name == 'outer' .and. x%head == 1.5, 'an object in class(list)')
    class default
      call must(.false., 'an object in class(list)')
    end select
    select type (x => b(i)%anys)
    type is (real(8))
      call must(all(x == [4.5d0, 5.5d0]), 'numbers in class(*)')
    class default
      call must(.false., 'numbers in class(*)')
    end select
    call must(len(b(i)%words) == 5 .and. b(i)%words(2) == 'seven', 'texts')
    call must(allocated(b(i)%empty) .and. size(b(i)%empty) == 0, 'an array without elements')
    call must(b(i)%f() == 42, 'a procedure pointer')
    call must(associated(b(i)%shared, shared), 'a pointer')
  end do
  select type (b)
  type is (wider)
    call must(.not. allocated(b(5)%last) .and. b(6)%last == 9, 'an extension')
  class default
    call must(.false., 'the type of the copy')
  end select
  deallocate (b, a)
end subroutine

! Calls f with a ring of nodes.
subroutine on_ring(f)
  use deep
  implicit none
  interface
    subroutine f(a, b)
      import node
      type(node), pointer :: a, b
    end subroutine
  end interface
  type(node), pointer :: a, b, p
  integer, target :: numbers(9)
  integer :: i
  numbers = [(i, i = 1, 9)]
  allocate (a)
  a%value = 1
  p => a
  do i = 2, 5
    allocate (p%next)
    p%next%previous => p
    p => p%next
    p%value = i
  end do
  p%next => a
  a%previous => p
  allocate (a%object, source=named(head=3, name='ring'))
  p%object => a%object
  a%odd => numbers(9:1:-2)
  p%odd => numbers(9:1:-2)
  a%same => numbers(9:1:-2)
  p%same => numbers
  p%inside => a%next%value
  nullify (b)
  call f(a, b)
  call must(associated(a) .and. associated(b) .and. .not. associated(a, b), 'another ring')
  p => b
  do i = 1, 5
    call must(p%value == i .and. associated(p%next%previous, p), 'a node')
    p => p%next
  end do
  call must(associated(p, b), 'the ring is closed')
  p => b%previous
  call must(associated(b%object, p%object) .and. .not. associated(b%object, a%object), 'one object')
  select type (x => b%object)
  type is (named)
    call must(x%name == 'ring', 'the name')
  class default
    call must(.false., 'the type')
  end select
  call must(all(b%odd == [9, 7, 5, 3, 1]) .and. associated(b%odd, p%odd) .and. associated(b%odd, b%same), 'a section')
  call must(.not. associated(b%odd, a%odd) .and. all(p%same == numbers), 'numbers')
  call must(associated(p%inside, b%next%value), 'a part of a node')
end subroutine

! Calls f with a section, and then reports what it gets.
subroutine on_section(f)
  use deep
  implicit none
  interface
    subroutine f(a, b)
      import list
      class(list) :: a(:)
      class(list), allocatable :: b(:)
    end subroutine
  end interface
  type(named) :: a(6)
  class(list), allocatable :: b(:)
  integer :: i
  do i = 1, 6
    a(i)%head = i
    a(i)%name = repeat('x', i)
  end do
  call f(a(5:1:-2), b)
  select type (b)
  type is (named)
    call must(size(b) == 3 .and. b(1)%name == 'xxxxx' .and. b(3)%head == 1, 'a section')
  class default
    call must(.false., 'the type of a section')
  end select
end subroutine

! The type of an object, as SELECT TYPE determines it.
integer function which(x)
  use deep
  implicit none
  class(*) :: x
  select type (x)
  type is (list)
    which = 1
  type is (named)
    which = 2
  type is (real)
    which = 3
  class default
    which = 4
  end select
end function

subroutine on_types(f, g)
  use deep
  implicit none
  interface
    subroutine f(x)
      class(*) :: x
    end subroutine
    subroutine g(x, y)
      import list
      class(list), pointer :: x, y
    end subroutine
  end interface
  type(list) :: a
  type(named) :: b
  class(list), pointer :: x, y
  call f(a)
  call f(b)
  call f(1.0)
  call f(.true.)
  allocate (named :: x)
  allocate (list :: y)
  call g(x, y)
  select type (y)
  type is (named)
    call must(associated(x, y), 'a pointer')
  class default
    call must(.false., 'the dynamic type of a pointer')
  end select
end subroutine

! Calls f with objects whose pointers point to the same memory as other components, and with the number of their arrays.
! f copies the object, calls g with the copy, and frees both.
subroutine on_owners(f, g)
  use deep
  implicit none
  interface
    subroutine f(x, n, g)
      class(*), pointer :: x
      integer :: n
      external :: g
    end subroutine
    subroutine g(x)
      class(*), pointer :: x
    end subroutine
  end interface
  class(*), pointer :: x
  type(owner), pointer :: o
  integer, pointer :: all(:)
  integer :: i
  allocate (o)
  o%name = 'empty'
  allocate (o%a(0))
  o%b => o%a
  x => o
  call f(x, 2, g)
  allocate (o)
  o%name = 'whole'
  allocate (o%own(10))
  o%own = [(i, i = 1, 10)]
  o%a => o%own(3:4)
  o%b => o%own
  x => o
  call f(x, 2, g)
  allocate (o)
  o%name = 'tail'
  allocate (o%first)
  allocate (o%first%rest)
  allocate (o%first%rest%rest)
  o%last => o%first%rest
  x => o
  call f(x, 4, g)
  ! The shorter of two earlier arrays must not hide the longer one.
  allocate (o, all(10))
  o%name = 'hidden'
  all = [(i, i = 1, 10)]
  o%a => all(2:3)
  o%b => all
  o%c => all(8:9)
  x => o
  call f(x, 2, g)
end subroutine

subroutine look_at_owner(x)
  use deep
  implicit none
  class(*), pointer :: x
  select type (x)
  type is (owner)
    if (x%name == 'empty') call must(associated(x%a) .and. associated(x%b) .and. size(x%b) == 0, 'empty targets')
    if (x%name == 'whole') call must(all(x%a == [3, 4]) .and. all(x%own == x%b), 'targets in an allocatable')
    if (x%name == 'tail') call must(associated(x%last) .and. allocated(x%first%rest%rest), 'a list')
    if (x%name == 'hidden') call must(associated(x%c, x%b(8:9)), 'a target in the longer array')
  class default
    call must(.false., 'the type of an owner')
  end select
end subroutine

! Calls f with a section whose elements form a ring.
subroutine on_ring_in_section(f)
  use deep
  implicit none
  interface
    subroutine f(a, b)
      import node
      class(node) :: a(:)
      class(node), allocatable :: b(:)
    end subroutine
  end interface
  type(node), target :: a(6)
  class(node), allocatable, target :: b(:)
  integer :: i
  do i = 1, 5, 2
    a(i)%value = i
    a(i)%next => a(mod(i + 1, 6) + 1)
    a(i)%inside => a(i)%value
  end do
  call f(a(5:1:-2), b)
  call must(size(b) == 3, 'a section')
  do i = 1, 3
    call must(associated(b(i)%next, b(mod(i + 1, 3) + 1)), 'a ring in a section')
    call must(associated(b(i)%inside, b(i)%value), 'a part of an element of a section')
  end do
end subroutine

! Calls f with an object and a variable without a type.
subroutine on_anything(f)
  use deep
  implicit none
  interface
    subroutine f(a, b)
      class(*), allocatable :: a, b
    end subroutine
  end interface
  class(*), allocatable :: a, b, c, d
  allocate (a, source='seven!!')
  call f(a, b)
  select type (b)
  type is (character(*))
    call must(len(b) == 7 .and. b == 'seven!!', 'a text in a variable without a type')
  class default
    call must(.false., 'a text in a variable without a type')
  end select
  allocate (c, source=named(head=1, name='c'))
  call f(c, d)
  select type (d)
  type is (named)
    call must(d%name == 'c', 'an object in a variable without a type')
  class default
    call must(.false., 'an object in a variable without a type')
  end select
end subroutine
