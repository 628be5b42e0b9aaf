!mod$ v1 sum:5f95416f1b4695d2
module other
abstract interface
function source()
integer(4)::source
end
end interface
contains
subroutine keep(f,p)
procedure(source)::f
procedure(source),intent(out),pointer::p
end
subroutine host(n,p)
integer(4),intent(in)::n
procedure(source),intent(out),pointer::p
end
end
