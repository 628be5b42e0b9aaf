! The statement retains the address of its unit until it ends.
subroutine internal_unit(x, text)
  real, intent(in) :: x
  character(20), intent(out) :: text
  write (text, *) x
end subroutine
