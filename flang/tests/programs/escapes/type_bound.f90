! escapes: type_bound.f90: 'callback' may escape: it is passed to a procedure that is known only at run time (type-bound:
! A call through a binding table, in a module with two types.
module m
  implicit none
  abstract interface
    subroutine visitor(i)
      integer, intent(in) :: i
    end subroutine
  end interface
  type :: tree
    integer :: n = 3
  contains
    procedure :: size => tree_size
    procedure :: traverse => tree_traverse
  end type
  type :: list
    integer :: n = 2
  contains
    procedure :: count => list_count
    procedure :: each => list_each
    procedure :: last => list_count
  end type
contains
  integer function tree_size(self)
    class(tree), intent(in) :: self
    tree_size = self%n
  end function
  subroutine tree_traverse(self, f)
    class(tree), intent(in) :: self
    procedure(visitor) :: f
    integer :: i
    do i = 1, self%n
      call f(i)
    end do
  end subroutine
  integer function list_count(self)
    class(list), intent(in) :: self
    list_count = self%n
  end function
  subroutine list_each(self, f)
    class(list), intent(in) :: self
    procedure(visitor) :: f
    call f(self%n)
  end subroutine
  subroutine host(t, total)
    class(tree), intent(in) :: t
    integer, intent(inout) :: total
    call t%traverse(callback)
  contains
    subroutine callback(i)
      integer, intent(in) :: i
      total = total + i
    end subroutine
  end subroutine
end module

program main
  use m
  type(tree) :: t
  integer :: n
  n = 0
  call host(t, n)
  print *, n
end program
