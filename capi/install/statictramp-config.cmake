# find_package(statictramp) gives statictramp::statictramp, the shared library, and statictramp::static, the archive.
get_filename_component(statictramp_LIBDIR "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
file(RELATIVE_PATH statictramp_UP "@LIBDIR@" "@PREFIX@")
get_filename_component(statictramp_PREFIX "${statictramp_LIBDIR}/${statictramp_UP}" ABSOLUTE)

if(NOT TARGET statictramp::statictramp)
  add_library(statictramp::statictramp SHARED IMPORTED)
  set_target_properties(statictramp::statictramp PROPERTIES
    IMPORTED_LOCATION "${statictramp_LIBDIR}/libstatictramp.so.0"
    IMPORTED_SONAME "libstatictramp.so.0"
    INTERFACE_INCLUDE_DIRECTORIES "${statictramp_PREFIX}/include")
  add_library(statictramp::static STATIC IMPORTED)
  set_target_properties(statictramp::static PROPERTIES
    IMPORTED_LOCATION "${statictramp_LIBDIR}/libstatictramp.a"
    INTERFACE_INCLUDE_DIRECTORIES "${statictramp_PREFIX}/include")
endif()
