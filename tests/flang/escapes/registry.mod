!mod$ v1 sum:5ff2685c0678d09e
module registry
abstract interface
function source()
integer(4)::source
end
end interface
abstract interface
subroutine action()
end
end interface
procedure(source),pointer::kept
intrinsic::null
contains
subroutine run(f)
procedure(action)::f
end
end
