! Dummy procedures that may be absent, passed on through several levels, and stored in a local pointer.
module chain
  abstract interface
    subroutine report(text)
      character(*), intent(in) :: text
    end subroutine
  end interface
contains
  subroutine level3(r)
    procedure(report), optional :: r
    if (present(r)) call r('from level 3')
  end subroutine
  subroutine level2(r)
    procedure(report), optional :: r
    call level3(r)
    if (present(r)) call r('from level 2')
  end subroutine

  subroutine host(prefix, loud)
    character(*), intent(in) :: prefix
    logical, intent(in) :: loud
    procedure(report), pointer :: chosen
    integer :: lines
    lines = 0
    chosen => quietly
    if (loud) chosen => loudly
    call level2(chosen)
    call level2()
    print '(a,i0)', 'lines ', lines
  contains
    subroutine quietly(text)
      character(*), intent(in) :: text
      lines = lines + 1
    end subroutine
    subroutine loudly(text)
      character(*), intent(in) :: text
      lines = lines + 1
      print '(3a)', prefix, ': ', text
    end subroutine
  end subroutine
end module

program main
  use chain
  call host('a', .true.)
  call host('b', .false.)
end program
