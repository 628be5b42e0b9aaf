! Definitions that the generated programs share: procedures that take procedures.
module common
  implicit none
  abstract interface
    integer function fn(x)
      integer, intent(in) :: x
    end function
    subroutine act(x)
      integer, intent(inout) :: x
    end subroutine
    integer function over(u)
      integer, intent(in) :: u(:)
    end function
    function words(x) result(said)
      integer, intent(in) :: x
      character(8) :: said
    end function
  end interface
  type :: holder
    integer :: id = 0
    procedure(fn), nopass, pointer :: f => null()
  end type
  type :: table
    integer :: count = 0
    type(holder) :: row(3)
  end type
contains
  pure integer function mix(a, b)
    integer, intent(in) :: a, b
    mix = modulo(a * 31 + b, 10007)
  end function
  recursive integer function plain(x)
    integer, intent(in) :: x
    plain = mix(x, 5)
  end function
  recursive integer function apply(f, x)
    procedure(fn) :: f
    integer, intent(in) :: x
    apply = f(x)
  end function
  recursive integer function twice(f, x)
    procedure(fn) :: f
    integer, intent(in) :: x
    twice = f(x)
    twice = f(mix(twice, x))
  end function
  recursive integer function by_pointer(f, x)
    procedure(fn) :: f
    integer, intent(in) :: x
    procedure(fn), pointer :: p
    p => f
    by_pointer = ask_pointer(p, x)
  end function
  recursive integer function by_holder(f, x)
    procedure(fn) :: f
    integer, intent(in) :: x
    type(holder) :: h, again
    call put_holder(h, f)
    again = h
    by_holder = ask_holder(again, x)
  end function
  recursive integer function by_table(f, x)
    procedure(fn) :: f
    integer, intent(in) :: x
    type(table), allocatable :: t
    integer :: i
    allocate (t)
    do i = 1, 3
      t%row(i)%f => f
    end do
    by_table = ask_table(t, 1 + modulo(x, 3), x)
  end function
  recursive integer function by_host(f, x)
    procedure(fn) :: f
    integer, intent(in) :: x
    by_host = apply(inner, x)
  contains
    recursive integer function inner(y)
      integer, intent(in) :: y
      inner = mix(f(mix(y, 1)), x)
    end function
  end function
  recursive integer function descend(f, x)
    procedure(fn) :: f
    integer, intent(in) :: x
    descend = deeper(f, 3, x)
  end function
  recursive integer function deeper(f, depth, x) result(r)
    procedure(fn) :: f
    integer, intent(in) :: depth, x
    if (depth == 0) then
      r = f(x)
      return
    end if
    r = deeper(f, depth - 1, mix(x, depth))
  end function
  recursive integer function perhaps(f, x)
    procedure(fn), optional :: f
    integer, intent(in) :: x
    perhaps = x
    if (present(f)) perhaps = f(x)
  end function
  recursive integer function ask_pointer(p, x)
    procedure(fn), pointer, intent(in) :: p
    integer, intent(in) :: x
    ask_pointer = -1
    if (associated(p)) ask_pointer = p(x)
  end function
  recursive integer function ask_holder(h, x)
    type(holder), intent(in) :: h
    integer, intent(in) :: x
    ask_holder = h%f(x)
  end function
  recursive integer function ask_table(t, i, x)
    type(table), intent(in) :: t
    integer, intent(in) :: i, x
    ask_table = ask_holder(t%row(i), x)
  end function
  recursive integer function ask_either(f, g, which, x)
    procedure(fn) :: f, g
    logical, intent(in) :: which
    integer, intent(in) :: x
    procedure(fn), pointer :: p
    p => choose(f, g, which)
    ask_either = p(x)
  end function
  recursive function choose(f, g, which) result(p)
    procedure(fn) :: f, g
    logical, intent(in) :: which
    procedure(fn), pointer :: p
    p => g
    if (which) p => f
  end function
  recursive subroutine put_holder(h, f)
    type(holder), intent(inout) :: h
    procedure(fn) :: f
    h%id = h%id + 1
    h%f => f
  end subroutine
  recursive subroutine put_pointer(p, f)
    procedure(fn), pointer, intent(out) :: p
    procedure(fn) :: f
    p => f
  end subroutine
  recursive subroutine do_act(a, x)
    procedure(act) :: a
    integer, intent(inout) :: x
    call a(x)
  end subroutine
  recursive integer function fold(f, u)
    procedure(fn) :: f
    integer, intent(in) :: u(:)
    integer :: i
    fold = 0
    do i = 1, size(u)
      fold = mix(fold, f(u(i)))
    end do
  end function
  recursive integer function over_all(o, u)
    procedure(over) :: o
    integer, intent(in) :: u(:)
    over_all = o(u)
    over_all = mix(over_all, o(u(2:)))
    over_all = mix(over_all, o(u(size(u):1:-1)))
  end function
  recursive integer function speak(w, x)
    procedure(words) :: w
    integer, intent(in) :: x
    character(8) :: said
    integer :: i
    said = w(x)
    speak = 0
    do i = 1, len_trim(said)
      speak = mix(speak, iachar(said(i:i)))
    end do
  end function
end module
