# Tests the installed library with pkg-config, CMake and Meson, the C++ wrapper, and the guide for users whose linker warns about
# an executable stack.
# Installs: gcc, clang 19, gfortran, CMake, Meson, man, groff, LLVM 19, Python, LuaJIT, D, Nim, Go; Zig from PyPI.
# Takes: 2 minutes.
# shellcheck disable=SC2046 # printed words: several words, or none

need gcc=gcc g++=g++ clang++-19=clang-19 cmake=cmake meson=meson ninja=ninja-build pkg-config=pkg-config man=man-db groff=groff \
    gfortran=gfortran readelf=binutils /usr/lib/llvm-19/include/llvm/Config/llvm-config.h=llvm-19-dev
out=$PWD/target/install
rm -rf "$out"
mkdir -p "$out"

say "installing"
capi/install.sh "$out"/usr
DESTDIR=$out/dest LIBDIR=lib64 capi/install.sh /opt/statictramp
(cd "$out"/usr && find . \( -type f -o -type l \) -printf '%s %p\n' | sort -k 2)
[ -e "$out"/dest/opt/statictramp/lib64/libstatictramp.so.0 ] || fail "DESTDIR or LIBDIR is ignored"
grep -q '^libdir=${prefix}/lib64$' "$out"/dest/opt/statictramp/lib64/pkgconfig/statictramp.pc || fail "the pkg-config file does not have the libdir \${prefix}/lib64"
cp -r "$out"/dest/opt "$out"/moved
[ "$(PKG_CONFIG_PATH=$out/moved/statictramp/lib64/pkgconfig pkg-config --define-prefix --variable=libdir statictramp)" = "$out/moved/statictramp/lib64" ] ||
    fail "pkg-config does not find the libraries of a moved tree"
for standard in c89 c99 c++98 c++11; do
    gcc -std=$standard -Wall -Wextra -pedantic -Werror -fsyntax-only -x "${standard%%[0-9]*}" "$out"/usr/include/statictramp_interop.h || fail "the headers are not valid $standard"
done
need_test_tools
source capi/tests/legs/parts/words.sh

# exports LIBRARY NAME@@VERSION...: tests that the library exports exactly these symbols, besides private ones.
exports() {
    readelf -dW "$out/usr/lib/$1.so.0" | grep -q "SONAME.*\[$1.so.0\]" || fail "$1 does not have the SONAME $1.so.0"
    nm -D --defined-only "$out/usr/lib/$1.so.0" | awk '$2 != "A" && !/statictramp_private_.*@@STATICTRAMP_PRIVATE_/ { print $3 }' | sort >"$out"/exported
    printf '%s\n' "${@:2}" | sed 's/^statictramp_.*/&@@STATICTRAMP_0/' | sort | diff - "$out"/exported ||
        fail "the exported symbols and versions of $1 (>) differ from the interface (<)"
}
# names [LIBRARY]: prints the names in the map, or those that belong to a library.
names() {
    awk -v library="${1:-}" '$2 == "in" { here = $3 } /^ *[a-zA-Z_].*;$/ && (!library || here == library) { print $1 }' capi/install/statictramp.map |
        tr -d ';'
}
exports libstatictramp $(names)
exports libstatictramp_core $(names | grep ^statictramp_ | grep -vxF "$(names libstatictramp_interop)")
exports libstatictramp_interop $(names libstatictramp_interop)
exports libstatictramp_runtime $(names libstatictramp_runtime | grep -v ^__omp_ | sed 's/^__gcc.*/&@@GCC_14.0.0/')

for header in statictramp statictramp_interop; do
    grep '^[a-z].*statictramp_[a-z_]*(' "$out"/usr/include/$header.h | grep -v '^static ' | grep -o 'statictramp_[a-z_]*(' | tr -d '(' | sort -u | while read -r name; do
        grep -q "^ *$name;" capi/install/statictramp.map || fail "$name is in the header, but not in capi/install/statictramp.map"
        [ -e "$out/usr/share/man/man3/$name.3" ] || fail "$name has no manual page"
        [ "$header" = statictramp ] || grep -q "$name" "$out/usr/share/man/man3/$header.3" || fail "$name is missing from the manual page"
    done
done

say "sample projects"
export PKG_CONFIG_PATH=$out/usr/lib/pkgconfig LD_LIBRARY_PATH=$out/usr/lib
gcc -Wall -Wextra -pedantic capi/tests/programs/install/program.c $(pkg-config --cflags --libs statictramp) -o "$out"/sample
"$out"/sample
for part in runtime interop; do
    gcc -Wall -Wextra -pedantic -Wl,--no-as-needed capi/tests/programs/install/program.c $(pkg-config --cflags --libs statictramp-$part) -o "$out"/sample
    "$out"/sample
    readelf -d "$out"/sample | grep -q "NEEDED.*libstatictramp_$part.so.0" || fail "pkg-config statictramp-$part does not link libstatictramp_$part"
done
cmake -S capi/tests/programs/install/cmake -B "$out"/cmake -DCMAKE_PREFIX_PATH="$out"/usr >/dev/null
cmake --build "$out"/cmake >/dev/null
"$out"/cmake/sample-statictramp
"$out"/cmake/sample-static
"$out"/cmake/sample-interop
readelf -d "$out"/cmake/sample-interop | grep -q 'NEEDED.*libstatictramp_interop.so.0' || fail "CMake's statictramp::interop does not link libstatictramp_interop"
# The directory is found through a symbolic link to the library directory, just as /lib is a link to usr/lib.
mkdir -p "$out"/linked
ln -sfn "$out"/usr/lib "$out"/linked/lib
cmake -S capi/tests/programs/install/cmake -B "$out"/cmake-linked -DCMAKE_PREFIX_PATH="$out"/linked >/dev/null
cmake --build "$out"/cmake-linked >/dev/null
"$out"/cmake-linked/sample-statictramp
# Only the archive is installed, as for boards.
cp -r "$out"/usr "$out"/archive-alone
rm "$out"/archive-alone/lib/libstatictramp*.so*
cmake -S capi/tests/programs/install/cmake -B "$out"/cmake-alone -DCMAKE_PREFIX_PATH="$out"/archive-alone >/dev/null
cmake --build "$out"/cmake-alone >/dev/null
"$out"/cmake-alone/sample-statictramp
! readelf -d "$out"/cmake-alone/sample-statictramp | grep statictramp || fail "a program linked with only the archive needs the shared library"
mkdir -p "$out"/meson.source
cp capi/tests/programs/install/program.c capi/tests/programs/install/meson/meson.build "$out"/meson.source
meson setup "$out"/meson "$out"/meson.source >/dev/null
meson test -C "$out"/meson >"$out"/meson.log || { cat "$out"/meson.log; fail "Meson's sample failed"; }
echo "pkg-config, CMake (shared and static), Meson"

say "the C++ wrapper"
for compiler in g++ clang++-19; do
    for standard in c++11 c++17 c++20; do
        for level in -O0 -O2; do
            # A short run tests each standard only once.
            [ "$effort" -ge 100 ] || case $standard$level in c++11-O2 | c++17-O0 | c++20-O2) ;; *) continue ;; esac
            $compiler -std=$standard $level -Wall -Wextra -pedantic -Werror -I"$out"/usr/include capi/tests/programs/c/wrapper.cpp \
                "$out"/usr/lib/libstatictramp.a -o "$out"/wrapper
            "$out"/wrapper >/dev/null || fail "wrapper.cpp failed: $compiler $standard $level"
        done
    done
    for words in -fexceptions -fno-exceptions; do
        for program in function lifetimes; do
            $compiler -std=c++11 -O2 $words -Wall -Wextra -pedantic -Werror -I"$out"/usr/include capi/tests/programs/c/$program.cpp \
                "$out"/usr/lib/libstatictramp.a -o "$out"/$program
            "$out"/$program >/dev/null || fail "$program.cpp failed: $compiler $words"
        done
    done
    $compiler -std=c++23 -O1 -Wall -Wextra -pedantic -Werror -I"$out"/usr/include capi/tests/programs/c/function.cpp \
        "$out"/usr/lib/libstatictramp.a -o "$out"/function
    "$out"/function >/dev/null || fail "function.cpp failed: $compiler c++23"
    for misuse in SMALL_STRUCT MEMBER_MISSING OVER_ALIGNED MEMBER_OVER_ALIGNED PACKED TOO_MANY MS_ABI; do
        said=$($compiler -std=c++11 -D$misuse -I"$out"/usr/include -fsyntax-only capi/tests/programs/c/wrapper_misuse.cpp 2>&1) && fail "wrapper_misuse.cpp compiles with $misuse"
        grep -q 'statictramp: ' <<<"$said" || fail "$misuse: $said"
    done
    said=$($compiler -std=c++11 -DDECLARED -I"$out"/usr/include -fsyntax-only capi/tests/programs/c/wrapper_misuse.cpp 2>&1) && fail "wrapper_misuse.cpp compiles with DECLARED"
    grep -q "reference to .function. is ambiguous" <<<"$said" && grep -q "wrapper_misuse.cpp:6:" <<<"$said" || fail "DECLARED: $said"
done
echo "gcc and clang, C++11 to C++23; misuse is rejected with a message"

say "other languages"
need python3=python3 luajit=luajit gdc=gdc nim=nim go=golang-go
need_wheel ziglang==0.17.1 ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54
languages=examples/languages
gdc $languages/sort.d -L"$out"/usr/lib -lstatictramp -o "$out"/sort-d
nim compile --hints:off --passL:-L"$out"/usr/lib --passL:-lstatictramp --nimcache:"$out"/nim --out:"$out"/sort-nim $languages/sort.nim >/dev/null
GO111MODULE=off GOCACHE=$PWD/target/go CGO_LDFLAGS=-L$out/usr/lib go build -o "$out"/sort-go $languages/sort.go
"$wheels/python" -m ziglang build-exe $languages/sort.zig -O ReleaseSmall -flld -lc -L"$out"/usr/lib -lstatictramp \
    --cache-dir target/zig --global-cache-dir target/zig -femit-bin="$out"/sort-zig
for program in "python3 $languages/sort.py $out/usr/lib/libstatictramp.so.0" "luajit $languages/sort.lua $out/usr/lib/libstatictramp.so.0" \
    "$out/sort-d" "$out/sort-nim" "$out/sort-go" "$out/sort-zig"; do
    # shellcheck disable=SC2086 # several words
    said=$(LD_LIBRARY_PATH=$out/usr/lib $program) || fail "$program exited with status $?, expected 0"
    [ "$said" = $'1 3 2 0\n0 1 2 3\nerror at byte 3 of i(p?)' ] || fail "$program: $said"
done
echo "Python, LuaJIT, D, Nim, Go and Zig"

need lua5.4=lua5.4 /usr/include/lua5.4/lua.h=liblua5.4-dev
build_capi >/dev/null
with_compilers capi pages

say "every line of the guide"
source capi/tests/legs/parts/guide.sh
