! Addresses taken in BLOCK and ASSOCIATE constructs.
subroutine call_it(f, x)
  interface
    subroutine f(x)
      integer, intent(inout) :: x
    end subroutine
  end interface
  integer, intent(inout) :: x
  call f(x)
end subroutine

subroutine host(n)
  integer, intent(in) :: n
  integer :: outer
  external :: call_it
  outer = n
  block
    integer :: inside
    inside = 5
    call call_it(add, inside)
    print *, inside
    associate (o => outer)
      call call_it(add, o)
      if (n > 1) then
        block
          integer :: deeper
          deeper = outer
          call call_it(add, deeper)
          print *, deeper, o
        end block
      end if
    end associate
  end block
  print *, outer
contains
  subroutine add(x)
    integer, intent(inout) :: x
    x = x + n
  end subroutine
end subroutine

program main
  call host(1)
  call host(2)
end program
