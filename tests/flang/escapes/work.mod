!mod$ v1 sum:f1ccaf9850f1b046
module work
contains
subroutine host(list,direction)
integer(4),intent(inout),target::list(1_8:5_8)
integer(4),intent(in)::direction
end
end
