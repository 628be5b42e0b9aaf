! Hosts that pass their procedures to another file.
module hosts
  use library
  implicit none
contains
  recursive integer function outer(n) result(r)
    integer, intent(in) :: n
    r = fold(inner, n)
    if (n > 1) r = r + outer(n - 1)
  contains
    integer function inner(x)
      integer, intent(in) :: x
      inner = x * n
    end function
  end function
  integer function chosen(n)
    integer, intent(in) :: n
    procedure(op), pointer :: p
    call choose()
    chosen = fold(p, n)
  contains
    integer function up(x)
      integer, intent(in) :: x
      up = x + n
    end function
    subroutine choose()
      p => up
    end subroutine
  end function
end module
