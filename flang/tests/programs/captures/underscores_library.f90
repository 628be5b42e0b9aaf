! With -fno-underscoring, `keep_` has the symbol that `keep` has without that option.
module underscores_library
  integer, pointer :: kept => null()
end module

subroutine keep_(x)
  use underscores_library
  integer, target :: x
  kept => x
end subroutine

subroutine keep(x)
  integer :: x
  x = x + 1
end subroutine

subroutine poke()
  use underscores_library
  kept = 7
end subroutine
