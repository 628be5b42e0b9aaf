! Procedures whose names differ in case or in underscores: a list line `report` is a promise for the C procedure of that
! name, and for `report_`, which may be a Fortran procedure.
subroutine bindings(a)
  implicit none
  real :: a(5)
  interface
    subroutine other_case(x) bind(c, name='Report')
      real :: x
    end subroutine
    subroutine same(x) bind(c, name='report')
      real :: x
    end subroutine
    subroutine fortrans(x) bind(c, name='report_')
      real :: x
    end subroutine
    subroutine longer(x) bind(c, name='report__')
      real :: x
    end subroutine
    subroutine in_capitals(x) bind(c, name='REPORT_')
      real :: x
    end subroutine
  end interface
  call other_case(a(1))
  call same(a(2))
  call fortrans(a(3))
  call longer(a(4))
  call in_capitals(a(5))
end subroutine
