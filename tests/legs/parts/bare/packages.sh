# Builds a program for a board with pkg-config and with CMake. Both tell the linker where the scripts are. Sourced by in_c.sh.

say "pkg-config and CMake"
need cmake=cmake pkg-config=pkg-config make=make
prefix=$PWD/target/prefix-thumbv7m-none-eabi
rm -rf "$out/package"
mkdir -p "$out/package"
script '' "$(doc_block docs/boards.md ld 2)" 'end = .;'
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
# shellcheck disable=SC2046 # several words
arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -DBY_HAND $(pkg-config --cflags statictramp) tests/programs/bare/c/heap.c --specs=nano.specs \
    --specs=nosys.specs -nostartfiles -T "$out/heap.ld" $(pkg-config --libs statictramp) -Wl,--gc-sections -z noexecstack -o "$out/package/by-pc"
cat >"$out/package/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.17)
project(board C)
find_package(statictramp REQUIRED PATHS $prefix/lib/cmake/statictramp NO_DEFAULT_PATH)
foreach(target statictramp static)
  add_executable(\${target} $PWD/tests/programs/bare/c/heap.c)
  target_compile_definitions(\${target} PRIVATE BY_HAND)
  target_link_options(\${target} PRIVATE --specs=nano.specs --specs=nosys.specs -nostartfiles -T $out/heap.ld -Wl,--gc-sections -z noexecstack)
  add_library(driver_\${target} STATIC $PWD/tests/programs/bare/c/memory.c)
  target_link_libraries(driver_\${target} PRIVATE statictramp::\${target})
  target_include_directories(\${target} PRIVATE $prefix/include)
  target_link_libraries(\${target} driver_\${target})
endforeach()
END
cmake -S "$out/package" -B "$out/package/build" -DCMAKE_SYSTEM_NAME=Generic -DCMAKE_C_COMPILER=arm-none-eabi-gcc \
    -DCMAKE_C_FLAGS="-mcpu=cortex-m3 -mthumb" -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY >/dev/null
cmake --build "$out/package/build" >/dev/null
for image in "$out/package/by-pc" "$out"/package/build/{statictramp,static}; do
    limit=60 run mps2-an385 "$image" qemu-system-arm
    must_say "a heap and the slots are apart"
done
unset image PKG_CONFIG_PATH PKG_CONFIG_ALLOW_SYSTEM_LIBS
echo "scripts with INCLUDE tramp_slots.x link with pkg-config's flags and with either target"
