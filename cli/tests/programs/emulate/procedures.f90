! Internal procedures as arguments, recursively, with arrays of the host.
module procedures
  implicit none
  integer, external :: apply
contains
  recursive integer function deep(depth, values) result(total)
    integer, intent(in) :: depth, values(:)
    integer :: own(3)
    own = values(1:3) + depth
    total = apply(nested, depth)
    if (depth > 0) total = total + deep(depth - 1, own)
  contains
    integer function nested(x)
      integer, intent(in) :: x
      nested = mod(x + sum(own), 1000)
    end function
  end function
end module
program main
  use procedures
  implicit none
  print '(i0)', deep(200, [1, 2, 3])
end program
