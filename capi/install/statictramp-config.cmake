# find_package(statictramp) defines statictramp::statictramp, the shared library, and statictramp::static, the archive;
# on boards, which have no shared libraries, both are the archive. The path is resolved, because /lib may be a link to
# usr/lib through which CMake has found this file.
get_filename_component(statictramp_LIBDIR "${CMAKE_CURRENT_LIST_DIR}/../.." REALPATH)
file(RELATIVE_PATH statictramp_UP "@LIBDIR@" "@PREFIX@")
get_filename_component(statictramp_PREFIX "${statictramp_LIBDIR}/${statictramp_UP}" ABSOLUTE)

if(NOT TARGET statictramp::statictramp)
  add_library(statictramp::static STATIC IMPORTED)
  set_target_properties(statictramp::static PROPERTIES
    IMPORTED_LOCATION "${statictramp_LIBDIR}/libstatictramp.a"
    INTERFACE_INCLUDE_DIRECTORIES "${statictramp_PREFIX}/include")
  # On boards, the linker searches this directory for the files that linker scripts INCLUDE.
  if(EXISTS "${statictramp_PREFIX}/share/statictramp/tramp_slots.x")
    set_target_properties(statictramp::static PROPERTIES INTERFACE_LINK_DIRECTORIES "${statictramp_PREFIX}/share/statictramp")
  endif()
  if(EXISTS "${statictramp_LIBDIR}/libstatictramp.so.0")
    add_library(statictramp::statictramp SHARED IMPORTED)
    set_target_properties(statictramp::statictramp PROPERTIES
      IMPORTED_LOCATION "${statictramp_LIBDIR}/libstatictramp.so.0"
      IMPORTED_SONAME "libstatictramp.so.0"
      INTERFACE_INCLUDE_DIRECTORIES "${statictramp_PREFIX}/include")
  elseif(EXISTS "${statictramp_LIBDIR}/libstatictramp.dll.a")
    add_library(statictramp::statictramp SHARED IMPORTED)
    set_target_properties(statictramp::statictramp PROPERTIES
      IMPORTED_LOCATION "${statictramp_PREFIX}/bin/statictramp.dll"
      IMPORTED_IMPLIB "${statictramp_LIBDIR}/libstatictramp.dll.a"
      INTERFACE_INCLUDE_DIRECTORIES "${statictramp_PREFIX}/include")
  else()
    add_library(statictramp::statictramp INTERFACE IMPORTED)
    set_target_properties(statictramp::statictramp PROPERTIES INTERFACE_LINK_LIBRARIES statictramp::static)
  endif()
endif()
