!mod$ v1 sum:28df66cb443873e0
module factory
abstract interface
function source()
integer(4)::source
end
end interface
contains
function make(n) result(p)
integer(4),intent(in)::n
procedure(source),pointer::p
end
end
