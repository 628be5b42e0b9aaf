# Hardened systems: the test suites of Rust, C, GCC and Fortran under a kernel that denies executable memory, has no
# /proc, no writable file system, little memory, or lacks a system call; other closure implementations, which fail
# there, as a comparison. Control-flow integrity: landing pads, and clang's checks of calls through a stub.
# Installs: gcc, clang 19 and 22, GCC for AArch64, QEMU, the sources of GCC 12; GCC 16, gfortran 16, GNAT 16 and flang 23 in
#   .toolchains.
# Takes: 3 minutes.

need gcc=gcc clang-19=clang-19 ld.lld-19=lld-19 clang-22=clang-22 ld.lld-22=lld-22 readelf=binutils perl=perl \
    /usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.cfi-x86_64.a=libclang-rt-19-dev \
    aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu /usr/aarch64-linux-gnu/lib/crt1.o=libc6-dev-arm64-cross qemu-aarch64-static=qemu-user-static make=make \
    /usr/src/gcc-12/gcc-12.2.0-dfsg.tar.xz=gcc-12-source xz=xz-utils
need_cross_rust
need_sid gcc-16=gcc-16 gfortran-16=gfortran-16 flang-23=flang-23 x86_64-linux-gnu-gnatmake-16=gnat-16 ld=binutils \
    /usr/lib/llvm-23/lib/libomp.so=libomp-23-dev /usr/include/stdio.h=libc6-dev qemu-aarch64=qemu-user
[ "$(uname -m)" = x86_64 ] || fail "this leg runs only on x86-64, because its system-call filters are for x86-64"
[ "$(id -u)" = 0 ] || fail "hiding /proc requires root: sudo tests/run hardened"

library=$PWD/$(build_capi)
# For restrictions under which the table cannot grow.
large=$PWD/$(build_capi STATICTRAMP_SLOTS=65536)
out=$PWD/target/hardened
rm -rf "$out"
mkdir -p "$out"
lay_shared_library "$library" "$out"
place=/statictramp-hardened
rm -rf "$chroot$place"
mkdir -p "$chroot$place"
restrict=$out/restrict
gcc -O2 -Wall -Wextra -Werror -static tests/programs/hardened/restrict.c -o "$restrict"
cp "$restrict" "$chroot$place"
mount_proc
ulimit -c 0

restrictions="mdwe kill eperm no-proc read-only address"
"$restrict" mdwe -- true || {
    echo "PR_SET_MDWE: not available on this kernel ($(uname -r)); the seccomp filters deny more"
    restrictions=${restrictions#mdwe }
}

# static_only RESTRICTION: succeeds if the table cannot grow under the restriction.
static_only() { case $1 in kill | eperm | no-proc) ;; *) return 1 ;; esac; }

more=()
# under RESTRICTION COMMAND...: runs the command under it; `in_sid DIRECTORY` may precede the command. If executable memory is
# denied, mremap is denied, too, and realloc must work without it. If growth would kill the process, the program is configured not
# to grow. The array `more` contains additional environment variables for the program, because a filter would also affect an `env`
# command before it.
under() {
    local restriction=$1 words=("$restrict") outer=() variables=(MALLOC_MMAP_THRESHOLD_=33554432 "${more[@]}") root=
    shift
    [ "$1" != in_sid ] || root=$chroot
    case $restriction in
    none) words=() ;;
    kill) words+=(no-exec=kill --) variables+=(STATICTRAMP_LIMIT="${limit:-65536}") ;;
    eperm) words+=(no-exec=eperm --) ;;
    no-proc) outer=("$restrict" "hide=$root/proc" --) words=() ;;
    read-only) outer=("$restrict" read-only --) words=() ;;
    address) words+=("address=${address:-4096}" --) ;;
    *) words+=("$restriction" --) ;;
    esac
    if [ -n "$root" ]; then
        [ ${#words[@]} = 0 ] || words[0]=./restrict
        "${outer[@]}" chroot "$chroot" env -C "$2" LC_ALL=C "${variables[@]}" "${words[@]}" "${@:3}"
    else
        env "${variables[@]}" "${outer[@]}" "${words[@]}" "$@"
    fi
}

# runs RESTRICTION NAME COMMAND...: runs the command, which must succeed.
runs() {
    local status=0
    under "$1" "${@:3}" >"$out/said" 2>&1 || status=$?
    [ $status = 0 ] || fail "$2 under $1: exit status $status, expected 0:
$(tail -n 20 "$out/said")"
}

source tests/legs/parts/hardened/rejected.sh
source tests/legs/parts/hardened/suites.sh
source tests/legs/parts/hardened/controls.sh
source tests/legs/parts/hardened/flow.sh
source tests/legs/parts/hardened/checked.sh
source tests/legs/parts/hardened/signed.sh
# A boot takes ten seconds; the tool has to be compiled for AArch64, and the kernel to be downloaded.
if [ "$effort" -ge 100 ]; then source tests/legs/parts/hardened/kernel.sh; fi
