! escapes: unknown_interface.f90:11: 'callback' may escape: it is passed to 'elsewhere'
! links: not
! An external procedure in another file, about which nothing is known.
subroutine host(n)
  integer, intent(in) :: n
  interface
    subroutine elsewhere(f)
      external :: f
    end subroutine
  end interface
  call elsewhere(callback)
contains
  subroutine callback()
    print *, n
  end subroutine
end subroutine

program main
  call host(9)
end program
