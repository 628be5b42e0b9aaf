! A pointer to a dummy procedure, a pointer returned by a function, and a pointer that is passed to be set.
module other
  abstract interface
    integer function op(x)
      integer, intent(in) :: x
    end function
  end interface
contains
  subroutine keep(f, p)
    procedure(op) :: f
    procedure(op), pointer, intent(out) :: p
    p => f
  end subroutine
  function pick(p, q, first) result(chosen)
    procedure(op), pointer, intent(in) :: p, q
    logical, intent(in) :: first
    procedure(op), pointer :: chosen
    if (first) then
      chosen => p
    else
      chosen => q
    end if
  end function
  subroutine host(n)
    integer, intent(in) :: n
    procedure(op), pointer :: p, q, r
    call keep(up, p)
    call keep(down, q)
    r => pick(p, q, mod(n, 2) == 0)
    print *, p(10), q(10), r(100)
  contains
    integer function up(x)
      integer, intent(in) :: x
      up = x + n
    end function
    integer function down(x)
      integer, intent(in) :: x
      down = x - n
    end function
  end subroutine
end module

program main
  use other
  call host(1)
  call host(2)
end program
