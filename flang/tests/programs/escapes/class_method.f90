! escapes: class_method.f90:18: 'callback' escapes: it is stored in an argument
! A type-bound procedure stores the address in a component of the object that its caller got.
module other
  abstract interface
    integer function source()
    end function
  end interface
  type :: holder
    integer :: id = 0
    procedure(source), nopass, pointer :: get => null()
  contains
    procedure, non_overridable :: set
  end type
contains
  subroutine set(self, f)
    class(holder), intent(inout) :: self
    procedure(source) :: f
    self%get => f
  end subroutine
end module

module work
contains
  subroutine host(h, n)
    use other
    class(holder), intent(inout) :: h
    integer, intent(in) :: n
    type(holder) :: own
    call own%set(callback)
    print *, own%get()
    call h%set(callback)
  contains
    integer function callback()
      callback = n
    end function
  end subroutine
end module

program main
  use other
  use work
  type(holder) :: h
  call host(h, 4)
  print *, h%get()
end program
