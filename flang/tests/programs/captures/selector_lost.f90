! keep stores the address of its argument, which is a part of a TARGET; bar writes through that address.
module kept
  real, pointer :: last
end module
subroutine keep(x)
  use kept
  real, target :: x
  last => x
end subroutine
subroutine bar()
  use kept
  last = 2
end subroutine
