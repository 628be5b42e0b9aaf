! This function is separate from the host, so that no compiler sees which procedure it calls.
integer(selected_int_kind(18)) function apply(f, x)
  integer, parameter :: long = selected_int_kind(18)
  interface
    integer(long) function f(x)
      import
      integer(long), intent(in) :: x
    end function
  end interface
  integer(long), intent(in) :: x
  apply = f(x)
end function
