# Tests the pass plugin with every supported flang: programs, the report of escaping procedures, and IR that the plugin does not
# understand.
# Installs: gfortran, flang and LLVM 19 and 22, lld, the sources of GCC 12; flang and LLVM 23 in .toolchains.
# Takes: 5 minutes.
# shellcheck disable=SC2046,SC2086 # $other and printed words: several words, or none

need gfortran=gfortran gcc=gcc g++=g++ readelf=binutils flang-new-19=flang-19 clang-19=clang-19 ld.lld-19=lld-19 ld.lld-22=lld-22 \
    /usr/lib/llvm-19/include/llvm/Config/llvm-config.h=llvm-19-dev /usr/lib/llvm-19/lib/libomp.so=libomp-19-dev flang-22=flang-22 \
    /usr/lib/llvm-22/include/llvm/Config/llvm-config.h=llvm-22-dev /usr/src/gcc-12/gcc-12.2.0-dfsg.tar.xz=gcc-12-source xz=xz-utils
need_sid flang-23=flang-23 /usr/lib/llvm-23/bin/llvm-config=llvm-23-dev ld.lld-23=lld-23 ld=binutils \
    /usr/lib/llvm-23/lib/libomp.so=libomp-23-dev /usr/include/stdio.h=libc6-dev
source flang/tests/legs/parts/compilers.sh
need_test_tools
library=$(build_capi)
exec 5>"$chroot.flang" # a leg in another checkout may use the same chroot
flock 5
rm -rf "$work"
mkdir -p "$work/omp" "$work/gfortran.d"
ln -s /usr/lib/llvm-19/lib/libomp.so "$work/omp"
cp "$library/libstatictramp.a" tests/programs/fortran/*.f90 flang/tests/programs/*/*.f90 "$work"
gcc -O2 -Wall -Wextra -c tests/common/watch.c -o "$work/watch.o"
gcc -O2 -Wall -Wextra tests/common/mdwe.c -o "$work/mdwe"
mount_proc
no_wx "$work/mdwe"
[ -z "$guard" ] || guard=$work/mdwe
export guard

say "the plugin and the rewriter, for LLVM 19, 22 and 23"
for version in 19 22 23; do
    build_plugin $version
    mkdir "$work/plugin-$version"
    cp "$(plugin_target $version)/release/libstatictramp_flang.so" "$work/plugin-$version"
done
export LLVM_CONFIG=llvm-config-19
cargo clippy --quiet -p statictramp-flang --all-targets -- -D warnings
cargo build --quiet --release -p statictramp-flang
rewrite=$PWD/target/release/statictramp-rewrite
flang-new-19 -O2 tests/programs/fortran/seed_pointer.f90 $(cargo run --quiet -- flags --prefix target/prefix flang-new-19) -module-dir "$work" -L/usr/lib/llvm-19/lib -o "$work/seed"
[ "$("$work/seed" | tr -d ' \n')" = 10-3 ] || fail "a program built with the output of \"statictramp flags flang-new-19\" prints a wrong result"

for other in "19 22" "22 19" "23 22"; do
    set -- $other
    said=$(flang "$2" "-fpass-plugin=$work/plugin-$1/libstatictramp_flang.so" -module-dir "$(of "$2" "$work")" -c "$work/seed_pointer.f90" -o "$work/x.o" 2>&1) &&
        fail "flang $2 accepts the plugin for LLVM $1"
    grep -q "^error: .*was built for LLVM $1, and this compiler is LLVM $2" <<<"$said" || fail "$said"
    [ "$(wc -l <<<"$said")" = 1 ] || fail "the error message of flang $2 has more than one line: $said"
done
echo "a plugin for another LLVM reports that in one line"

! wants programs || source flang/tests/legs/parts/programs.sh
! wants scratch || source flang/tests/legs/parts/scratch.sh
! wants builds || source flang/tests/legs/parts/builds.sh
! wants projects || source flang/tests/legs/parts/projects.sh
! wants escapes || source flang/tests/legs/parts/escapes.sh
! wants promises || source flang/tests/legs/parts/promises.sh
! wants generate || source flang/tests/legs/parts/generate.sh
! wants captures || source flang/tests/legs/parts/captures.sh
! wants captures || source flang/tests/legs/parts/call_sites.sh # with functions of captures.sh
! wants captures || source flang/tests/legs/parts/public.sh # with functions of captures.sh
! wants ir || source flang/tests/legs/parts/ir.sh
! wants mutate || source flang/tests/legs/parts/mutate.sh
! wants capture || source flang/tests/legs/parts/capture.sh
! wants instances || source flang/tests/legs/parts/instances.sh
! wants suite || source flang/tests/legs/parts/suite.sh
