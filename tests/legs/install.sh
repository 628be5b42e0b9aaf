# The library as it is installed, used by pkg-config, CMake and Meson; the C++ wrapper; the guide for those whose linker
# warns about an executable stack.

need gcc=gcc g++=g++ clang++-19=clang-19 cmake=cmake meson=meson ninja=ninja-build pkg-config=pkg-config man=man-db groff=groff \
    gfortran=gfortran readelf=binutils
out=$PWD/target/install
rm -rf $out
mkdir -p $out

say "installing"
capi/install.sh $out/usr
DESTDIR=$out/dest LIBDIR=lib64 capi/install.sh /opt/statictramp
(cd $out/usr && find . \( -type f -o -type l \) -printf '%s %p\n' | sort -k 2)
[ -e $out/dest/opt/statictramp/lib64/libstatictramp.so.0 ] || fail "DESTDIR or LIBDIR is not obeyed"
grep -q "^libdir=/opt/statictramp/lib64$" $out/dest/opt/statictramp/lib64/pkgconfig/statictramp.pc || fail "DESTDIR is in the pkg-config file"
source tests/review/archive/symbols.sh
source tests/install/words.sh

library=$out/usr/lib/libstatictramp.so.0
readelf -dW $library | grep -q 'SONAME.*libstatictramp.so.0' || fail "no SONAME"
nm -D --defined-only $library | awk '$2 != "A" { print $3 }' | sort >$out/exported
sed -n 's/^ *\([a-zA-Z_]\w*\);.*/\1/p' capi/install/statictramp.map | sed 's/^statictramp_.*/&@@STATICTRAMP_0/' | sort >$out/wanted
diff $out/wanted $out/exported || fail "the shared library does not export just the interface, the functions of its own with a version"
for header in statictramp statictramp_interop; do
    grep -o '^[a-z].*statictramp_[a-z_]*(' capi/include/$header.h | grep -o 'statictramp_[a-z_]*(' | tr -d '(' | sort -u | while read -r name; do
        grep -q "^ *$name;" capi/install/statictramp.map || fail "$name is in the header but not exported"
        grep -q "$name" capi/install/$header.3 || fail "$name has no place in the manual page"
    done
    man --warnings -l $out/usr/share/man/man3/$header.3 2>$out/man.log >/dev/null
    [ ! -s $out/man.log ] || { cat $out/man.log; fail "the manual page of $header has errors"; }
done

say "sample projects"
export PKG_CONFIG_PATH=$out/usr/lib/pkgconfig LD_LIBRARY_PATH=$out/usr/lib
gcc -Wall -Wextra -pedantic tests/install/program.c $(pkg-config --cflags --libs statictramp) -o $out/sample
$out/sample
cmake -S tests/install/cmake -B $out/cmake -DCMAKE_PREFIX_PATH=$out/usr >/dev/null
cmake --build $out/cmake >/dev/null
$out/cmake/sample-statictramp
$out/cmake/sample-static
# As on boards: the archive alone.
cp -r $out/usr $out/archive-alone
rm $out/archive-alone/lib/libstatictramp.so*
cmake -S tests/install/cmake -B $out/cmake-alone -DCMAKE_PREFIX_PATH=$out/archive-alone >/dev/null
cmake --build $out/cmake-alone >/dev/null
$out/cmake-alone/sample-statictramp
! readelf -d $out/cmake-alone/sample-statictramp | grep statictramp || fail "the archive alone was asked for"
mkdir -p $out/meson.source
cp tests/install/program.c tests/install/meson/meson.build $out/meson.source
meson setup $out/meson $out/meson.source >/dev/null
meson test -C $out/meson >$out/meson.log || { cat $out/meson.log; fail "Meson's sample failed"; }
echo "pkg-config, CMake (shared and static), Meson"

say "the C++ wrapper"
for compiler in g++ clang++-19; do
    for standard in c++11 c++17 c++20; do
        for level in -O0 -O2; do
            $compiler -std=$standard $level -Wall -Wextra -pedantic -Werror -I$out/usr/include tests/c/wrapper.cpp \
                $out/usr/lib/libstatictramp.a -o $out/wrapper
            $out/wrapper >/dev/null || fail "the wrapper: $compiler $standard $level"
        done
    done
    for misuse in SMALL_STRUCT TOO_MANY; do
        said=$($compiler -std=c++11 -D$misuse -I$out/usr/include -fsyntax-only tests/c/wrapper_misuse.cpp 2>&1) && fail "$misuse compiles"
        grep -q 'statictramp: ' <<<"$said" || fail "$misuse: $said"
    done
done
echo "gcc and clang, C++11 to C++20; misuse is refused with a sentence"

say "the guide: every line that it shows"
source tests/guide.sh
