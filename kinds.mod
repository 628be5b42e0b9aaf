!mod$ v1 sum:05722e3615dc8c55
!need$ b86a2090de1a6bef i iso_fortran_env
module kinds
use,intrinsic::iso_fortran_env,only:int8
use,intrinsic::iso_fortran_env,only:int16
use,intrinsic::iso_fortran_env,only:int32
use,intrinsic::iso_fortran_env,only:int64
use,intrinsic::iso_fortran_env,only:real32
use,intrinsic::iso_fortran_env,only:real64
type::point
real(8)::x
real(8)::y
real(8)::z
integer(4)::tag
end type
contains
subroutine show_i8(f)
interface
function f()
integer(1)::f
end
end interface
end
subroutine show_i16(f)
interface
function f()
integer(2)::f
end
end interface
end
subroutine show_i64(f)
interface
function f()
integer(8)::f
end
end interface
end
subroutine show_r32(f)
interface
function f()
real(4)::f
end
end interface
end
subroutine show_r64(f)
interface
function f()
real(8)::f
end
end interface
end
subroutine show_complex(f)
interface
function f()
complex(8)::f
end
end interface
end
subroutine show_logical(f)
interface
function f()
logical(4)::f
end
end interface
end
subroutine show_point(f)
interface
function f()
import::point
type(point)::f
end
end interface
end
subroutine show_array(f)
interface
function f() result(r)
integer(4)::r(1_8:5_8)
end
end interface
end
subroutine host(seed)
integer(4),intent(in)::seed
end
end
