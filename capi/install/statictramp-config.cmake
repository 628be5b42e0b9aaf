# find_package(statictramp) defines statictramp::statictramp, which links those of the shared libraries that a program needs,
# statictramp::runtime and statictramp::interop, which are two of them, and statictramp::static, the archive; on boards, which
# have no shared libraries, all are the archive. The path is resolved, because /lib may be a link to usr/lib through which CMake
# has found this file.
get_filename_component(statictramp_LIBDIR "${CMAKE_CURRENT_LIST_DIR}/../.." REALPATH)
include("${CMAKE_CURRENT_LIST_DIR}/statictramp-installation.cmake")
get_filename_component(statictramp_PREFIX "${statictramp_LIBDIR}/${statictramp_UP}" ABSOLUTE)

if(NOT TARGET statictramp::statictramp)
  set(statictramp_archive "${statictramp_LIBDIR}/libstatictramp.a")
  set(statictramp_import "${statictramp_LIBDIR}/libstatictramp.dll.a")
  if(EXISTS "${statictramp_LIBDIR}/statictramp.dll.lib") # Microsoft's names
    set(statictramp_archive "${statictramp_LIBDIR}/statictramp.lib")
    set(statictramp_import "${statictramp_LIBDIR}/statictramp.dll.lib")
  endif()
  add_library(statictramp::static STATIC IMPORTED)
  set_target_properties(statictramp::static PROPERTIES
    IMPORTED_LOCATION "${statictramp_archive}"
    INTERFACE_INCLUDE_DIRECTORIES "${statictramp_PREFIX}/include")
  # On boards, the linker searches this directory for the files that linker scripts INCLUDE.
  if(EXISTS "${statictramp_PREFIX}/share/statictramp/tramp_slots.x")
    set_target_properties(statictramp::static PROPERTIES INTERFACE_LINK_DIRECTORIES "${statictramp_PREFIX}/share/statictramp")
  endif()
  if(EXISTS "${statictramp_LIBDIR}/libstatictramp.so.0")
    # libstatictramp.so is a linker script.
    add_library(statictramp::statictramp INTERFACE IMPORTED)
    set_target_properties(statictramp::statictramp PROPERTIES
      INTERFACE_LINK_LIBRARIES "${statictramp_LIBDIR}/libstatictramp.so"
      INTERFACE_LINK_DIRECTORIES "${statictramp_LIBDIR}"
      INTERFACE_INCLUDE_DIRECTORIES "${statictramp_PREFIX}/include")
    foreach(statictramp_PART runtime interop)
      if(EXISTS "${statictramp_LIBDIR}/libstatictramp_${statictramp_PART}.so.0")
        add_library(statictramp::${statictramp_PART} SHARED IMPORTED)
        set_target_properties(statictramp::${statictramp_PART} PROPERTIES
          IMPORTED_LOCATION "${statictramp_LIBDIR}/libstatictramp_${statictramp_PART}.so.0"
          IMPORTED_SONAME "libstatictramp_${statictramp_PART}.so.0"
          INTERFACE_LINK_LIBRARIES statictramp::statictramp)
      endif()
    endforeach()
  elseif(EXISTS "${statictramp_LIBDIR}/libstatictramp.0.dylib")
    add_library(statictramp::statictramp SHARED IMPORTED)
    set_target_properties(statictramp::statictramp PROPERTIES
      IMPORTED_LOCATION "${statictramp_LIBDIR}/libstatictramp.0.dylib"
      INTERFACE_INCLUDE_DIRECTORIES "${statictramp_PREFIX}/include")
  elseif(EXISTS "${statictramp_import}")
    add_library(statictramp::statictramp SHARED IMPORTED)
    set_target_properties(statictramp::statictramp PROPERTIES
      IMPORTED_LOCATION "${statictramp_PREFIX}/bin/statictramp.dll"
      IMPORTED_IMPLIB "${statictramp_import}"
      INTERFACE_INCLUDE_DIRECTORIES "${statictramp_PREFIX}/include")
  else()
    add_library(statictramp::statictramp INTERFACE IMPORTED)
    set_target_properties(statictramp::statictramp PROPERTIES INTERFACE_LINK_LIBRARIES statictramp::static)
  endif()
  foreach(statictramp_PART runtime interop)
    if(NOT TARGET statictramp::${statictramp_PART})
      add_library(statictramp::${statictramp_PART} INTERFACE IMPORTED)
      set_target_properties(statictramp::${statictramp_PART} PROPERTIES INTERFACE_LINK_LIBRARIES statictramp::statictramp)
    endif()
  endforeach()
endif()
