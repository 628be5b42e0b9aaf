! An internal procedure as an argument, for which the compiler writes a trampoline.
subroutine host(y)
  integer :: y
  interface
    subroutine apply(f)
      external f
    end subroutine
  end interface
  call apply(nested)
contains
  subroutine nested(x)
    integer :: x
    x = x + y
  end subroutine
end subroutine
