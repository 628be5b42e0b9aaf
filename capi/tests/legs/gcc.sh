# Programs that GCC 14, 15 and 16 compiled with -ftrampoline-impl=heap, on the library's table: our own, which leave hosts out of
# order, and those from GCC's test suite that need trampolines.
# Installs: gcc, the sources of GCC 12; GCC, gfortran and GNAT 14 to 16 in .toolchains.
# Takes: 2 minutes.
# shellcheck disable=SC2086 # $guard, $versions: several words, or none

need gcc=gcc readelf=binutils /usr/src/gcc-12/gcc-12.2.0-dfsg.tar.xz=gcc-12-source xz=xz-utils
versions="14 15 16"
need_sid gcc-14=gcc-14 gcc-15=gcc-15 gcc-16=gcc-16 gfortran-14=gfortran-14 gfortran-15=gfortran-15 gfortran-16=gfortran-16 ld=binutils /usr/include/stdio.h=libc6-dev
# Only one version of gnat can be installed; the files of the other versions are unpacked into an otherwise empty
# directory.
need_sid gnat-16=gnat-16 /usr/lib/x86_64-linux-gnu/libgnat-14.so=libgnat-14 /usr/lib/x86_64-linux-gnu/libgnat-15.so=libgnat-15
for version in 14 15; do
    [ -e "$chroot/usr/bin/x86_64-linux-gnu-gnatmake-$version" ] || fetch in_sid /tmp bash -c "
        apt-get download -qq gnat-$version-x86-64-linux-gnu && dpkg -x gnat-$version-*.deb / && rm gnat-$version-*.deb"
done
library=$(build_capi)
sid_directory gcc
cp capi/tests/programs/gcc/* interop/tests/programs/instances/frame.c capi/tests/legs/parts/gcc_suite.sh tests/common/mdwe.c tests/common/check.h {capi,interop/capi}/include/*.h "$library/libstatictramp.a" "$chroot$place"
lay_shared_library "$library" "$chroot$place"
mount_proc
in_sid $place gcc-16 -O2 mdwe.c -o mdwe
no_wx in_sid $place ./mdwe

say "the checks of STATICTRAMP_BIND"
need_test_tools
mkdir -p "$chroot$place/capi/include" "$chroot$place/capi/tests/programs/c"
cp capi/include/statictramp.h "$chroot$place/capi/include"
cp capi/tests/programs/c/bind_{uses,misuse}.c "$chroot$place/capi/tests/programs/c"
for version in $versions; do
    for standard in c11 c23; do "$test_tools" bind-uses "chroot $chroot env -C $place LC_ALL=C gcc-$version -std=$standard"; done
    "$test_tools" bind-misuses "chroot $chroot env -C $place LC_ALL=C gcc-$version -std=c23"
done

say "hosts that end out of order"
jumps=$(share 1000000)
for version in $versions; do
    for level in -O0 -O2 -O3; do
        in_sid $place gcc-"$version" $level -w -ftrampoline-impl=heap hosts.c libstatictramp.a -o hosts
        in_sid $place $guard ./hosts "$jumps" >"$chroot$place/said" || fail "gcc-$version $level: hosts exited with status $?, expected 0"
        in_sid $place gcc-"$version" $level -w -I. -ftrampoline-impl=heap frame.c libstatictramp.a -o frame
        in_sid $place env LAYOUT="scale: real(8) value, count: integer(4) value, sign: integer(1) value" ./frame ||
            fail "gcc-$version $level: frame exited with status $?, expected 0"
    done
    cat "$chroot$place/said"
done
in_sid $place gcc-16 -O2 -w -ftrampoline-impl=heap hosts.c -L. -lstatictramp -o hosts-so
in_sid $place env LD_LIBRARY_PATH=. $guard ./hosts-so "$jumps"
in_sid $place gcc-16 -O2 -w -static -ftrampoline-impl=heap hosts.c libstatictramp.a -o hosts-static
in_sid $place $guard ./hosts-static "$jumps"
in_sid $place gcc-16 -O2 -w -static-libgcc -ftrampoline-impl=heap hosts.c libstatictramp.a -o hosts-static-libgcc
in_sid $place $guard ./hosts-static-libgcc "$jumps"
# The code that calls the library is generated only at link time; libgcc's own functions of these names come last.
for how in "" -static; do
    in_sid $place gcc-16 -O2 -w -flto $how -ftrampoline-impl=heap hosts.c libstatictramp.a -o hosts-lto
    in_sid $place $guard ./hosts-lto "$jumps"
done
if [ -n "$guard" ]; then
    in_sid $place gcc-16 -O2 -ftrampoline-impl=heap plain.c -o control
    in_sid $place $guard ./control >/dev/null 2>&1 && fail "libgcc's own heap trampolines run under PR_SET_MDWE, so this test proves nothing"
    echo "control: libgcc's own heap trampolines end the program under PR_SET_MDWE"
    for library in libstatictramp libstatictramp_runtime; do in_sid $place env LD_PRELOAD=./$library.so.0 $guard ./control; done
fi

say "a program that links the library, but has a nested function only in another library"
in_sid $place gcc-16 -O2 -shared -fPIC -Dmain=nested_function -ftrampoline-impl=heap plain.c -o libplain.so
in_sid $place gcc-16 -O2 -Wall -Wextra uses_both.c -Wl,--no-as-needed -L. -lstatictramp -lplain -lgcc_s -o uses-both
said=$(in_sid $place env LD_LIBRARY_PATH=. ./uses-both)
[ "$said" = $'nested: 42\nlibgcc_s.so.1' ] || fail "the program printed \"$said\""
in_sid $place readelf -dW uses-both | grep -c 'NEEDED.*libstatictramp' | grep -qx 1 || fail "the program needs more than one of the shared libraries"

say "Ada"
for version in $versions; do
    for level in -O0 -O2; do
        in_sid $place x86_64-linux-gnu-gnatmake-"$version" -f -q $level nested.adb -o nested \
            -cargs -ftrampoline-impl=heap -largs libstatictramp.a
        said=$(in_sid $place $guard ./nested)
        [ "$said" = "Ada: 5506500 1000" ] || fail "gnat-$version $level: the program printed \"$said\", expected \"Ada: 5506500 1000\""
        [ "$(stack_rights "$chroot$place/nested")" = RW ] || fail "gnat-$version: the program does not request a non-executable stack"
        in_sid $place nm nested.o | grep -q 'U __gcc_nested_func_ptr_created' || fail "gnat-$version: nested.o does not call __gcc_nested_func_ptr_created"
    done
    echo "gnat $version: $said"
done

say "GCC's own suite"
suite=target/gcc-suite
unpack_gcc_suite
cp -r $suite "$chroot$place/suite"
in_sid $place/suite bash $place/gcc_suite.sh $place "${guard:+$place/mdwe}" $((effort < 100 ? 20 : 1)) $versions
