!mod$ v1 sum:36402f5f904da332
module pair
abstract interface
function next()
integer(4)::next
end
end interface
contains
subroutine interleave(a,b)
procedure(next)::a
procedure(next)::b
end
subroutine outer(start)
integer(4),intent(in)::start
end
subroutine inner(other,start)
procedure(next)::other
integer(4),intent(in)::start
end
end
