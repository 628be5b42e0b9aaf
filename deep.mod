!mod$ v1 sum:f6b204f3e41b5b3b
module deep
abstract interface
function reader()
integer(4)::reader
end
end interface
contains
recursive function host(n,below) result(r)
integer(4),intent(in)::n
procedure(reader)::below
integer(4)::r
end
function nothing()
integer(4)::nothing
end
end
