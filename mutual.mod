!mod$ v1 sum:32998c2b0819c104
module mutual
abstract interface
recursive function op(n) result(r)
integer(4),intent(in)::n
integer(4)::r
end
end interface
contains
recursive function even(n,f) result(r)
integer(4),intent(in)::n
procedure(op)::f
integer(4)::r
end
recursive function odd(n,f) result(r)
integer(4),intent(in)::n
procedure(op)::f
integer(4)::r
end
end
