!mod$ v1 sum:c9f45673da35c914
module tools
contains
subroutine each(words,f)
character(*,1),intent(in)::words(:)
interface
subroutine f(word)
character(*,1),intent(in)::word
end
end interface
end
subroutine host(separator,words)
character(*,1),intent(in)::separator
character(*,1),intent(in)::words(:)
end
end
