# Hardened systems: the test suites of Rust, C, GCC and Fortran under a kernel that denies executable memory, has no
# /proc, no writable file system, little memory, or lacks a system call; other closure implementations, which fail
# there, as a comparison. Control-flow integrity: landing pads, and clang's checks of calls through a stub. The tests are in
# tests/with_compilers.
# Installs: gcc, clang 19 and 22, GCC for AArch64, QEMU, the sources of GCC 12; GCC 16, gfortran 16, GNAT 16 and flang 23 in
#   .toolchains.
# Takes: 3 minutes.
# Parts: suites, flow, kernel (only if named in short runs).

need gcc=gcc clang-19=clang-19 ld.lld-19=lld-19 clang-22=clang-22 ld.lld-22=lld-22 readelf=binutils prlimit=util-linux \
    /usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.cfi-x86_64.a=libclang-rt-19-dev \
    aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu /usr/aarch64-linux-gnu/lib/crt1.o=libc6-dev-arm64-cross qemu-aarch64-static=qemu-user-static make=make \
    /usr/src/gcc-12/gcc-12.2.0-dfsg.tar.xz=gcc-12-source xz=xz-utils
need_cross_rust
need_sid gcc-16=gcc-16 gfortran-16=gfortran-16 flang-23=flang-23 x86_64-linux-gnu-gnatmake-16=gnat-16 ld=binutils \
    /usr/lib/llvm-23/lib/libomp.so=libomp-23-dev /usr/include/stdio.h=libc6-dev qemu-aarch64=qemu-user
[ "$(uname -m)" = x86_64 ] || fail "this leg runs only on x86-64, because its system-call filters are for x86-64"
[ "$(id -u)" = 0 ] || fail "hiding /proc requires root: sudo tests/run hardened"

parts=()
! wants suites || parts+=(hardened suites)
! wants flow || parts+=(flow)
if [ ${#parts[@]} -gt 0 ]; then
    build_capi >/dev/null
    build_capi STATICTRAMP_SLOTS=65536 >/dev/null
    build_capi STATICTRAMP_LANDING_PADS=0 >/dev/null
    cargo build --quiet --release -p statictramp-cli
    need_test_tools
    unpack_gcc_suite
    sid_directory hardened
    mount_proc
    with_compilers core "${parts[@]}"
fi
# A boot takes ten seconds. In addition, the tool must be compiled for AArch64, and the kernel downloaded.
if wants_long kernel; then source tests/legs/parts/hardened/kernel.sh; fi
