! Libraries that keep the addresses of buffers whatever their interfaces state, and functions with array results.
! promised: nga_put
! promised: scalar_result 2
subroutine libraries(ga, x, lo)
  interface
    function scalar_result(a, b)
      real, target :: a
      real :: b, scalar_result
    end function
    function array_result(a, b)
      real, target :: a
      real :: b, array_result(3)
    end function
  end interface
  integer :: ga, lo(2), handle, error
  integer(8) :: file
  real :: x(100), y(3)
  call nga_put(ga, lo, lo, x, lo)
  call nga_nbput(ga, lo, lo, x, lo, handle)
  call armci_nbput(x, x, 400, 0, handle)
  call adios_write(file, 'x', x, error)
  call adios2_put(file, x, error)
  call VecPlaceArray(ga, x, error)
  call VecCreateSeqWithArray(ga, 1, 100, x, file, error)
  call mpi_isend(x, 100, 0, 0, 0, 0, handle, error)
  y(1) = scalar_result(x(1), x(2))
  y = array_result(x(1), x(2))
end subroutine
