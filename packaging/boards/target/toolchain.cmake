# A CMake toolchain file for GNU compilers and this library:
# cmake -B BUILD --toolchain DIR/@TARGET@/toolchain.cmake
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR @FAMILY@)
set(CMAKE_C_COMPILER @TOOLS@gcc)
set(CMAKE_CXX_COMPILER @TOOLS@g++)
set(CMAKE_ASM_COMPILER @TOOLS@gcc)
foreach(language C CXX ASM)
  set(CMAKE_${language}_FLAGS_INIT "@FLAGS@")
endforeach()
# A test program could not be linked without the board's start-up code and script.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
list(PREPEND CMAKE_FIND_ROOT_PATH ${CMAKE_CURRENT_LIST_DIR})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
