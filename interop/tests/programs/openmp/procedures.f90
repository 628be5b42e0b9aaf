! Fortran procedure pointers from the host, called in target regions (OpenMP 5.2, section 7.8.3: "a procedure pointer (Fortran)"):
! components of a mapped variable. flang 22 does not implement the clause INDIRECT, so the table is created from the addresses
! that the host and the device report for their own versions.
module device_procedures
  use, intrinsic :: iso_c_binding
  use omp_lib
  implicit none
  abstract interface
    integer(c_int) function taker(x) bind(C)
      import
      integer(c_int), value :: x
    end function
  end interface
  interface
    type(c_funptr) function translate(host) bind(C, name='__kmpc_target_translate_fptr')
      import
      !$omp declare target
      type(c_funptr), value :: host
    end function
    integer(c_int) function set_functions(device, count, pairs) bind(C, name='statictramp_set_functions')
      import
      integer(c_int), value :: device
      integer(c_int64_t), value :: count
      integer(c_intptr_t), intent(in) :: pairs(*)
    end function
  end interface
  ! The value is 1000 on devices. (Code that flang compiles for the host plugin identifies itself as the host.)
  integer(c_int), save :: offset = 0
  !$omp declare target enter(offset)
  type commands
    procedure(taker), pointer, nopass :: first, second
  end type
contains
  integer(c_int) function twice(x) bind(C)
    !$omp declare target
    integer(c_int), value :: x
    twice = offset + 2 * x
  end function
  integer(c_int) function negated(x) bind(C)
    !$omp declare target
    integer(c_int), value :: x
    negated = offset - x
  end function
end module

program procedures
  use device_procedures
  implicit none
  integer(c_int) :: device, results(2)
  integer(c_intptr_t) :: pairs(4), here(2), there(2)
  type(commands) :: table
  if (omp_get_num_devices() < 2) error stop 'no devices'
  table%first => twice
  table%second => negated
  here = [transfer(c_funloc(table%first), 0_c_intptr_t), transfer(c_funloc(table%second), 0_c_intptr_t)]
  do device = 0, 1
    there = 0
    !$omp target device(device) map(from: there)
    offset = 1000
    there(1) = transfer(c_funloc(twice), 0_c_intptr_t)
    there(2) = transfer(c_funloc(negated), 0_c_intptr_t)
    !$omp end target
    if (any(there == here .or. there == 0)) error stop 'the device has no code of its own'
    pairs = [here(1), there(1), here(2), there(2)]
    if (set_functions(device, 2_c_int64_t, pairs) /= 0) error stop 'the table is refused'
    results = 0
    !$omp target device(device) map(to: table) map(from: results)
    block
      procedure(taker), pointer :: f
      call c_f_procpointer(translate(c_funloc(table%first)), f)
      results(1) = f(21_c_int)
      call c_f_procpointer(translate(c_funloc(table%second)), f)
      results(2) = f(21_c_int)
    end block
    !$omp end target
    if (any(results /= [1042, 979])) error stop 'other procedures were called'
  end do
  if (table%first(21_c_int) /= 42) error stop 'the host has changed'
  print '(a)', '2 devices: procedure pointers of Fortran'
end program
