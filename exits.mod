!mod$ v1 sum:f0876cc5be340296
module exits
contains
subroutine twice(f)
interface
subroutine f()
end
end interface
end
subroutine host(n)
integer(4),intent(in)::n
end
end
