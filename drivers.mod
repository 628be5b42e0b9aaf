!mod$ v1 sum:98250e7ccf019678
module drivers
abstract interface
function operation(x)
integer(4),intent(in)::x
integer(4)::operation
end
end interface
type::driver
character(8_4,1)::name
procedure(operation),nopass,pointer::run=>NULL()
end type
intrinsic::null
contains
subroutine drive(table,x)
type(driver),intent(in)::table(:)
integer(4),intent(in)::x
end
subroutine host(offset,factor)
integer(4),intent(in)::offset
integer(4),intent(in)::factor
end
end
