! escapes: called_back_unknown.f90: 'callback' may escape: it is passed to a procedure that is known only at
! The address is an argument of a dummy procedure.
module other
  abstract interface
    integer function source()
    end function
    integer function taker(f)
      import
      procedure(source) :: f
    end function
  end interface
contains
  integer function host(n, take)
    integer, intent(in) :: n
    procedure(taker) :: take
    host = take(callback)
  contains
    integer function callback()
      callback = n
    end function
  end function
  integer function ask(f)
    procedure(source) :: f
    ask = f()
  end function
end module

program main
  use other
  print *, host(3, ask)
end program
