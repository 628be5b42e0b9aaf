!mod$ v1 sum:c45c4a7f94c4aedc
module registry
abstract interface
function source()
integer(4)::source
end
end interface
procedure(source),pointer::current
intrinsic::null
contains
function ask()
integer(4)::ask
end
end
