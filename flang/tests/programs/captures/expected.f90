! The procedures retain no address, so x is 1 and `bug` is not called.
subroutine test()
  integer :: x
  call foo(x)
  x = 1
  call bar()
  if (x == 1) then
    call as_expected()
  else
    call bug()
  end if
end subroutine
