! escapes: through_sibling.f90: 'callback' escapes
! One sibling sets a pointer of the host. Another sibling, which is called back, copies the pointer into a module.
module registry
  abstract interface
    integer function source()
    end function
    subroutine action()
    end subroutine
  end interface
  procedure(source), pointer :: kept => null()
contains
  subroutine run(f)
    procedure(action) :: f
    call f()
  end subroutine
end module

subroutine host(n)
  use registry
  integer, intent(in) :: n
  procedure(source), pointer :: p
  call set()
  call run(copy)
  print *, kept()
contains
  integer function callback()
    callback = n
  end function
  subroutine set()
    p => callback
  end subroutine
  subroutine copy()
    kept => p
  end subroutine
end subroutine

program main
  use registry
  call host(6)
  print *, kept()
end program
