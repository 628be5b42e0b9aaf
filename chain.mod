!mod$ v1 sum:1c7810cbdd306b3c
module chain
abstract interface
subroutine report(text)
character(*,1),intent(in)::text
end
end interface
contains
subroutine level3(r)
procedure(report),optional::r
end
subroutine level2(r)
procedure(report),optional::r
end
subroutine host(prefix,loud)
character(*,1),intent(in)::prefix
logical(4),intent(in)::loud
end
end
