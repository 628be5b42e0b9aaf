! Variables of many kinds, read and written through the trampoline.
subroutine call_it(f)
  interface
    subroutine f()
    end subroutine
  end interface
  call f()
end subroutine

subroutine host(l, i1, i8, r8, c4, c8, s)
  logical :: l
  integer(1) :: i1
  integer(8) :: i8
  real(8) :: r8
  complex :: c4
  complex(8) :: c8
  character(*) :: s
  external :: call_it
  integer :: fixed(3)
  fixed = [1, 2, 3]
  call call_it(change)
  print '(l1,i5,i22,f8.3)', l, i1, i8, r8
  print '(4f7.2)', c4, c8
  print '(a,3i4)', s, fixed
contains
  subroutine change()
    l = .not. l
    i1 = i1 + 1_1
    i8 = i8 * 3
    r8 = r8 / 8
    c4 = conjg(c4)
    c8 = c8 * (0, 1)
    s = s(2:) // '!'
    fixed(2:) = fixed(2:) * 10
  end subroutine
end subroutine

program main
  character(6) :: s
  integer(1) :: i1
  integer(8) :: i8
  logical :: l
  real(8) :: r8
  complex :: c4
  complex(8) :: c8
  s = 'abcdef'
  i1 = 126
  i8 = 2_8**60
  l = .true.
  r8 = 1
  c4 = (1.5, 2.5)
  c8 = (3.0d0, 4.0d0)
  call host(l, i1, i8, r8, c4, c8, s)
  i1 = 5
  call host(l, i1, i8, r8, c4, c8, s)
end program
