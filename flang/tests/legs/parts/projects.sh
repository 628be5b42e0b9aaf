# Tests sample projects with a static Fortran library and a C program, as in docs/fortran.md, with the installed plugin. Sourced
# by flang/tests/legs/flang.sh.

say "projects: CMake and Meson, a static Fortran library and a C program"
need cmake=cmake meson=meson ninja=ninja-build pkg-config=pkg-config
projects=$PWD/target/flang-projects
rm -rf "$projects"
mkdir -p "$projects"
capi/install.sh "$projects/usr" >/dev/null
for version in 19 22; do
    plugin_settings $version
    env "${settings[@]}" "${unoptimized[@]}" flang/install.sh "$projects/usr" >/dev/null
    [ -x "$projects/usr/bin/statictramp-rewrite-$version" ] || fail "flang/install.sh installed no rewriter for $version"
done
said=$(env -u LLVM_CONFIG flang/install.sh "$projects/usr" 2>&1) && fail "flang/install.sh succeeded without LLVM_CONFIG"
grep -q '^install.sh: set LLVM_CONFIG' <<<"$said" || fail "$said"
flang/install.sh relative 2>/dev/null && fail "flang/install.sh accepted a relative prefix"
said=$(flang-22 "-fpass-plugin=$projects/usr/lib/libstatictramp_flang-19.so" -c "$work/returned.f90" -o "$work/x.o" 2>&1) && fail "flang 22 accepts the plugin for LLVM 19"
grep -q '^error: .*load libstatictramp_flang-22.so' <<<"$said" || fail "$said"

diff <(doc_block docs/fortran.md cmake 1) flang/tests/programs/projects/cmake/CMakeLists.txt || fail "the CMakeLists.txt in docs/fortran.md differs from the tested one"
diff <(doc_block docs/fortran.md meson 1) flang/tests/programs/projects/meson/meson.build || fail "the meson.build in docs/fortran.md differs from the tested one"
# built PROGRAM NAME: checks that the program runs on a non-executable stack.
built() {
    [ "$("$1")" = "Fortran: 42" ] || fail "$2: the program prints a wrong result"
    [ "$(stack_rights "$1")" = RW ] || fail "$2: the program does not request a non-executable stack"
}
for version in 19 22; do
    compiler=flang-$version
    [ $version != 19 ] || compiler=flang-new-19
    cp -r flang/tests/programs/projects "$projects/$version"
    sed -i "s/flang-new-19/$compiler/; s/flang-19/flang-$version/" "$projects/$version"/*/{CMakeLists.txt,meson.build} 2>/dev/null || :
    FC=$compiler cmake -S "$projects/$version/cmake" -B "$projects/cmake-$version" -DCMAKE_PREFIX_PATH="$projects/usr" >"$projects/log" 2>&1 &&
        cmake --build "$projects/cmake-$version" >>"$projects/log" 2>&1 || { cat "$projects/log"; fail "the CMake build with flang $version failed"; }
    built "$projects/cmake-$version/sample" "CMake with flang $version"
done
mkdir "$projects/meson"
cp flang/tests/programs/projects/*.* flang/tests/programs/projects/meson/meson.build "$projects/meson"
PKG_CONFIG_PATH=$projects/usr/lib/pkgconfig meson setup "$projects/meson.out" "$projects/meson" >"$projects/log" 2>&1 &&
    meson test -C "$projects/meson.out" >>"$projects/log" 2>&1 || { cat "$projects/log"; fail "Meson's tests failed"; }
built "$projects/meson.out/sample" Meson
echo "CMake with flang 19 and 22, Meson with flang 19"
