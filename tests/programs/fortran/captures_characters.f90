! Characters of fixed, assumed and deferred length.
module tools
contains
  subroutine each(words, f)
    character(*), intent(in) :: words(:)
    interface
      subroutine f(word)
        character(*), intent(in) :: word
      end subroutine
    end interface
    integer :: i
    do i = 1, size(words)
      call f(words(i))
    end do
  end subroutine

  subroutine host(separator, words)
    character(*), intent(in) :: separator, words(:)
    character(:), allocatable :: joined
    character(3) :: initials
    integer :: count
    joined = ''
    initials = '---'
    count = 0
    call each(words, append)
    print '(5a,i0)', '[', joined, '] ', initials, ' ', count
  contains
    subroutine append(word)
      character(*), intent(in) :: word
      count = count + 1
      if (count > 1) joined = joined // separator
      joined = joined // trim(word)
      if (count <= 3) initials(count:count) = word(1:1)
    end subroutine
  end subroutine
end module

program main
  use tools
  call host(', ', ['alpha', 'be   ', 'gamma', 'delta'])
  call host('', ['xy'])
end program
