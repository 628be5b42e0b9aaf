! Facts that flang's IR omits: whether a variable is ASYNCHRONOUS, whether a procedure is a C procedure, and the
! attributes of its dummy argument. It does include that a variable is a TARGET.
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
