! A host that passes its internal procedure to C, which calls it and leaves the host by longjmp.
module hosts
  use iso_c_binding
  implicit none
  interface
    subroutine call_and_jump(f) bind(c)
      import
      interface
        integer(c_long) function f() bind(c)
          import
        end function
      end interface
    end subroutine
  end interface
contains
  subroutine host(value) bind(c)
    integer(c_long), value :: value
    integer(c_long) :: local
    local = 2 * value
    call call_and_jump(internal)
  contains
    integer(c_long) function internal() bind(c)
      internal = local + 1
    end function
  end subroutine
end module
