! Twelve internal procedures of one host, some of which are never needed.
module other
  integer :: total = 0
contains
  subroutine use_it(f)
    interface
      subroutine f()
      end subroutine
    end interface
    call f()
  end subroutine
end module

subroutine host(mask)
  use other
  integer, intent(in) :: mask
  if (btest(mask, 0)) call use_it(p0)
  if (btest(mask, 1)) call use_it(p1)
  if (btest(mask, 2)) call use_it(p2)
  if (btest(mask, 3)) call use_it(p3)
  if (btest(mask, 4)) call use_it(p4)
  if (btest(mask, 5)) call use_it(p5)
  if (btest(mask, 6)) call use_it(p6)
  if (btest(mask, 7)) call use_it(p7)
  if (btest(mask, 8)) call use_it(p8)
  if (btest(mask, 9)) call use_it(p9)
  if (btest(mask, 0)) call use_it(p0)
  call p10()
contains
  subroutine p0()
    total = total + mask
  end subroutine
  subroutine p1()
    total = total + 2 * mask
  end subroutine
  subroutine p2()
    total = total + 3 * mask
  end subroutine
  subroutine p3()
    total = total + 4 * mask
  end subroutine
  subroutine p4()
    total = total + 5 * mask
  end subroutine
  subroutine p5()
    total = total + 6 * mask
  end subroutine
  subroutine p6()
    total = total + 7 * mask
  end subroutine
  subroutine p7()
    total = total + 8 * mask
  end subroutine
  subroutine p8()
    total = total + 9 * mask
  end subroutine
  subroutine p9()
    total = total + 10 * mask
  end subroutine
  subroutine p10()
    call use_it(p11)
  end subroutine
  subroutine p11()
    total = total + 1
  end subroutine
end subroutine

program main
  use other
  integer :: mask
  do mask = 0, 1023
    call host(mask)
  end do
  print *, total
end program
