!mod$ v1 sum:57480346de51806f
module other
contains
recursive subroutine foo(fptr)
interface
function fptr()
integer(4)::fptr
end
end interface
end
end
