# A quick test of real clients: programs of GCC's own suite, compiled by flang 19 with the plugin and by GCC 14 with its
# heap trampolines, on non-executable stacks. The flang and gcc legs run the whole suite.
# Installs: gcc, gfortran, flang 19 with LLVM, the sources of GCC 12; GCC 14 in .toolchains.
# Takes: 1 minute.

need gfortran=gfortran gcc=gcc g++=g++ readelf=binutils flang-new-19=flang-19 /usr/lib/llvm-19/include/llvm/Config/llvm-config.h=llvm-19-dev \
    /usr/src/gcc-12/gcc-12.2.0-dfsg.tar.xz=gcc-12-source xz=xz-utils
need_sid gcc-14=gcc-14 ld=binutils /usr/include/stdio.h=libc6-dev
library=$(build_capi)
unpack_gcc_suite
suite=target/gcc-suite
out=target/clients
rm -rf $out
mkdir -p $out

say "Fortran: flang 19 and the plugin"
LLVM_CONFIG=llvm-config-19 cargo build --quiet --release -p statictramp-flang --lib
passed=0
for source in $suite/gfortran.dg/proc_ptr_{5,18,19,20,23,25}.f90 $suite/gfortran.dg/proc_ptr_comp_{1,2,11,13,18,29}.f90; do
    gfortran -w -S -J $out "$source" -o - | grep -q 'note.GNU-stack,"x"' || continue # needs no trampoline
    for level in -O0 -O2; do
        flang-new-19 $level -w -module-dir $out -fpass-plugin=target/release/libstatictramp_flang.so "$source" \
            "$library/libstatictramp.a" -L/usr/lib/llvm-19/lib -o $out/program
        [ "$(stack_rights $out/program)" = RW ] || fail "$source: the program does not request a non-executable stack"
        $out/program >$out/said 2>&1 || fail "$source $level exited with status $?, expected 0: $(cat $out/said)"
    done
    passed=$((passed + 1))
done
[ $passed -gt 0 ] || fail "no Fortran program of the suite needs a trampoline, so nothing was tested"
echo "$passed programs of the gfortran suite"

say "C: GCC 14 and -ftrampoline-impl=heap"
sid_directory clients
cp "$library/libstatictramp.a" $suite/gcc.c-torture/execute/nestfunc-*.c $suite/gcc.c-torture/execute/nest-*.c "$chroot$place"
passed=0
for source in "$chroot$place"/*.c; do
    name=$(basename "$source" .c)
    in_sid "$place" gcc-14 -O2 -w -std=gnu17 -fpermissive -ftrampoline-impl=heap -c "$name.c"
    nm "$chroot$place/$name.o" | grep -q __gcc_nested_func_ptr_created || continue
    in_sid "$place" gcc-14 "$name.o" libstatictramp.a -o "$name"
    [ "$(stack_rights "$chroot$place/$name")" = RW ] || fail "$name: the program does not request a non-executable stack"
    in_sid "$place" "./$name" || fail "$name exited with status $?, expected 0"
    passed=$((passed + 1))
done
[ $passed -gt 0 ] || fail "no C program of the suite needs a trampoline, so nothing was tested"
echo "$passed programs of the gcc suite"
