! escapes: two_hosts.f90:14:5: 'callback' escapes: register captures it: it is stored in 'kept', which outlives the host (in register, taken at two_hosts.f90:25:5 in first)
! also: two_hosts.f90:14:5: 'callback' escapes: register captures it: it is stored in 'kept', which outlives the host (in register, taken at two_hosts.f90:43:7 in sibling of second)
! The same line retains procedures of the same name in two hosts: the remarks differ in where the address is taken.
module registry
  abstract interface
    integer function source()
    end function
  end interface
  procedure(source), pointer :: kept => null()
contains
  subroutine register(f)
    procedure(source) :: f
    print *, 'registering'
    kept => f
  end subroutine
end module

module work
contains
  subroutine first(n)
    use registry
    integer, intent(in) :: n
    integer :: k
    k = n
    call register(callback)
  contains
    integer function callback()
      callback = k
    end function
  end subroutine

  subroutine second(n)
    use registry
    integer, intent(in) :: n
    integer :: k
    k = n
    call sibling()
  contains
    integer function callback()
      callback = k + 1
    end function
    subroutine sibling()
      call register(callback)
    end subroutine
  end subroutine
end module

program main
  use registry
  use work
  call first(4)
  call second(4)
  print *, kept()
end program
