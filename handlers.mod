!mod$ v1 sum:e8d4181c48e5ce11
module handlers
abstract interface
function handler(x)
integer(4),intent(in)::x
integer(4)::handler
end
end interface
type::entry
integer(4)::id=0_4
procedure(handler),nopass,pointer::run=>NULL()
end type
intrinsic::null
contains
function run_all(table,x)
type(entry),intent(in)::table(:)
integer(4),intent(in)::x
integer(4)::run_all
end
recursive subroutine fill(table,depth)
type(entry),intent(inout)::table(:)
integer(4),intent(in)::depth
end
end
