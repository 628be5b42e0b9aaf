# Before 1.0, a program for one version can use any later version with the same minor number. Version ranges have
# their usual meaning.
include("${CMAKE_CURRENT_LIST_DIR}/statictramp-installation.cmake")
set(PACKAGE_VERSION "${statictramp_VERSION}")
if(PACKAGE_FIND_VERSION_RANGE)
  if(NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION_MIN
      AND (PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION_MAX
        OR (PACKAGE_FIND_VERSION_RANGE_MAX STREQUAL "INCLUDE" AND PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION_MAX)))
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
  endif()
else()
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" statictramp_HERE "${PACKAGE_VERSION}")
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" statictramp_WANTED "${PACKAGE_FIND_VERSION}")
  if(statictramp_HERE STREQUAL statictramp_WANTED AND NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
  endif()
  if(PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
# The size of a pointer in bytes, which CMake knows as soon as a language is enabled.
if(CMAKE_SIZEOF_VOID_P AND NOT CMAKE_SIZEOF_VOID_P EQUAL statictramp_POINTER)
  set(PACKAGE_VERSION "${PACKAGE_VERSION} (for pointers of ${statictramp_POINTER} bytes)")
  set(PACKAGE_VERSION_UNSUITABLE TRUE)
endif()
