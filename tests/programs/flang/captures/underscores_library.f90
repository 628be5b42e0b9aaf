! With -fno-underscoring the symbol of `keep_` is the one that `keep` has without.
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
