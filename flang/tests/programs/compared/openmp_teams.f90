! Addresses taken in a league of teams: of the host's procedures, by siblings, in nested regions, and in a procedure.
module leagues
  implicit none
  abstract interface
    integer function op(x)
      integer, intent(in) :: x
    end function
  end interface
contains
  integer function apply(f, n)
    procedure(op) :: f
    integer, intent(in) :: n
    apply = f(n)
  end function
  integer function in_host(k) result(total)
    integer, intent(in) :: k
    integer, external :: omp_get_team_num
    integer :: one(0:3), two(0:3), three(0:3)
    one = 0
    two = 0
    three = 0
    !$omp teams num_teams(2) shared(one, two, three)
    one(omp_get_team_num()) = apply(inner, 10)
    two(omp_get_team_num()) = by_sibling(20)
    !$omp parallel num_threads(2)
    !$omp critical
    three(omp_get_team_num()) = apply(inner, 30) + apply(other, 40)
    !$omp end critical
    !$omp end parallel
    !$omp end teams
    total = one(0) + two(0) + three(0) + apply(inner, 1)
  contains
    integer function inner(x)
      integer, intent(in) :: x
      inner = x * k
    end function
    integer function other(x)
      integer, intent(in) :: x
      other = x + k
    end function
    integer function by_sibling(x)
      integer, intent(in) :: x
      by_sibling = apply(inner, x) - apply(other, x)
    end function
  end function
  integer function in_internal(k) result(total)
    integer, intent(in) :: k
    total = region(5) + region(6)
  contains
    integer function inner(x)
      integer, intent(in) :: x
      inner = x - k
    end function
    integer function region(x) result(r)
      integer, intent(in) :: x
      integer, external :: omp_get_team_num
      integer :: of(0:3)
      !$omp teams num_teams(3) shared(of)
      of(omp_get_team_num()) = apply(inner, x) + apply(inner, 2 * x)
      !$omp end teams
      r = of(0)
    end function
  end function
end module
program main
  use leagues
  implicit none
  integer :: i
  do i = 1, 50
    if (modulo(i, 10) == 0) print *, in_host(i), in_internal(i)
    if (in_host(i) /= in_host(i)) error stop
  end do
end program
