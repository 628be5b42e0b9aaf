! Associate names for parts of variables. An associate name has no attribute of the variable, so the list must follow its selector.
! promised: of_array_target 1
! promised: of_components
! promised: of_expression
! promised: of_nested
! promised: of_plain_rank
module selected
  type inner
    real :: r
  end type
  type t
    real :: r, v(3)
    type(inner) :: i
    class(*), allocatable :: c
    real, pointer :: p
  end type
  type(t), target :: in_module
end module

subroutine plain_parts(n)
  use selected, only: t
  integer :: n
  type(t) :: plain
  associate (a => plain%r, b => plain%i%r, c => plain%v)
    call of_components(a)
    call of_components(b)
    call of_components(c)
    associate (d => a)
      call of_nested(d)
    end associate
  end associate
  associate (e => n + 1, f => 3)
    call of_expression(e)
    call of_expression(f)
  end associate
end subroutine

subroutine target_parts(o)
  use selected, only: t
  type(t), target :: o
  type(t), pointer :: q
  type(t) :: with_pointer
  associate (a1 => o%r)
    call kept_part(a1)
    associate (a2 => a1)
      call kept_nested(a2)
    end associate
  end associate
  associate (b1 => o)
    associate (b2 => b1%i%r)
      call kept_two_levels(b2)
    end associate
  end associate
  associate (c1 => o%i)
    call kept_part_of_part(c1%r)
  end associate
  associate (d1 => q%r)
    call kept_through_pointer(d1)
  end associate
  associate (e1 => with_pointer%p)
    call kept_pointer_component(e1)
  end associate
  associate (f1 => o%v)
    call kept_array(f1)
    call kept_section(f1(1:2))
  end associate
  associate (g1 => o%v(2))
    call kept_element(g1)
  end associate
  select type (h1 => o%c)
  type is (real)
    call kept_select_type(h1)
  end select
  call of_array_target(1.0, o%v)
end subroutine

subroutine renamed_target()
  use selected, only: other => in_module
  associate (i1 => other%r)
    call kept_renamed(i1)
  end associate
  block
    use selected, only: again => in_module
    associate (j1 => again%i)
      call kept_in_block(j1%r)
    end associate
  end block
end subroutine

subroutine ranks(a, b)
  real, target :: a(..)
  real :: b(..)
  select rank (k1 => a)
  rank (1)
    call kept_rank(k1)
  end select
  select rank (a)
  rank (0)
    call kept_rank(a)
  end select
  select rank (l1 => b)
  rank (1)
    call of_plain_rank(l1)
  end select
end subroutine

subroutine hosted(o)
  use selected, only: t
  type(t), target :: o
  associate (m1 => o%r)
    call inside()
  end associate
contains
  subroutine inside()
    associate (n1 => o%i%r)
      call kept_in_internal(n1)
    end associate
  end subroutine
end subroutine
