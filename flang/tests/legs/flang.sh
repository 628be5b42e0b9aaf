# Tests the pass plugin with every supported flang: programs, the report of escaping procedures, and IR that the plugin does not
# understand. The tests are in flang/tests/with_compilers.
# Installs: gfortran, flang and LLVM 19 and 22, lld, CMake, Meson, the sources of GCC 12; flang and LLVM 23 in .toolchains.
# Takes: 5 minutes.
# Parts: projects, programs, scratch, builds, escapes, promises, ir, mutate, capture, instances, suite, generate, captures.

need gfortran=gfortran gcc=gcc g++=g++ readelf=binutils flang-new-19=flang-19 clang-19=clang-19 ld.lld-19=lld-19 ld.lld-22=lld-22 \
    /usr/lib/llvm-19/include/llvm/Config/llvm-config.h=llvm-19-dev /usr/lib/llvm-19/lib/libomp.so=libomp-19-dev flang-22=flang-22 \
    /usr/lib/llvm-22/include/llvm/Config/llvm-config.h=llvm-22-dev /usr/src/gcc-12/gcc-12.2.0-dfsg.tar.xz=gcc-12-source xz=xz-utils
need_sid flang-23=flang-23 /usr/lib/llvm-23/bin/llvm-config=llvm-23-dev ld.lld-23=lld-23 ld=binutils \
    /usr/lib/llvm-23/lib/libomp.so=libomp-23-dev /usr/include/stdio.h=libc6-dev
source tests/legs/parts/plugin.sh
ulimit -c 0
need_test_tools
library=$(build_capi)
sid_directory flang
# All files that are compiled and run are in this directory, because flang 23 is in the chroot.
work=$chroot$place
mkdir "$work/omp"
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

! wants projects || source flang/tests/legs/parts/projects.sh
parts=()
! wants programs || parts+=(programs)
! wants scratch || {
    scratch_library=$PWD/$(build_capi scratch STATICTRAMP_SLOTS=1)
    export scratch_library
    parts+=(scratch)
}
! wants builds || parts+=(builds)
! wants escapes || parts+=(escapes)
! wants promises || parts+=(promises)
! wants ir || parts+=(ir)
! wants mutate || parts+=(mutate)
! wants capture || parts+=(capture)
! wants instances captures || cargo build --quiet -p statictramp-cli
! wants instances || parts+=(instances)
! wants suite || { unpack_gcc_suite && parts+=(suite); }
! wants generate captures || cargo build --quiet --release -p statictramp-flang --example generate
! wants generate || parts+=(generate)
! wants captures || {
    fetch_sources minpack "bookworm trixie"
    export minpack=$sources
    parts+=(captures call_lines call_sites)
}
[ ${#parts[@]} = 0 ] || with_compilers flang "${parts[@]}"
