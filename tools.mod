!mod$ v1 sum:fd83a22144fbf4e0
module tools
contains
subroutine each(n,f)
integer(4),intent(in)::n
interface
subroutine f(i)
integer(4),intent(in)::i
end
end interface
end
subroutine host(shape_from_caller)
real(4),intent(inout)::shape_from_caller(:)
end
end
