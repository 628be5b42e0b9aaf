!mod$ v1 sum:ac08bee6f17e601c
module shapes
type::shape
real(4)::scale=1._4
end type
type,extends(shape)::square
real(4)::side=0._4
end type
type::tally
integer(4)::calls=0_4
real(4),allocatable::seen(:)
end type
contains
function area(this)
class(shape),intent(in)::this
real(4)::area
end
function sum_of(f,n)
interface
function f(i)
integer(4),intent(in)::i
real(4)::f
end
end interface
integer(4),intent(in)::n
real(4)::sum_of
end
subroutine host(thing)
class(shape),intent(in)::thing
end
end
