! What flang's IR does not say: whether a variable is ASYNCHRONOUS, and whether a procedure is one of C's, or what its dummy
! argument is. That a variable is a TARGET it says.
subroutine missing()
  interface
    subroutine starts(x)
      real, asynchronous :: x
    end subroutine
    subroutine in_c(x) bind(c, name='in_c_')
      real :: x
    end subroutine
    subroutine points_to(x)
      real, target :: x
    end subroutine
  end interface
  real :: plain, passed, dangling
  real, asynchronous :: awaited
  real, target :: pointed
  plain = 1; passed = 2; awaited = 3; pointed = 4; dangling = 5
  call implicit(plain)
  call in_c(passed)
  call starts(awaited)
  call points_to(pointed)
  call points_to(dangling)
  print *, plain, passed, awaited, pointed, dangling
end subroutine
