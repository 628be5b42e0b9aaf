# Random signatures of C (generate.pl, main.c), for statictramp_bind_raw and statictramp_bind_first, beside libffi's closures.
# Sourced by the legs "abi", "cross" and "windows". STATICTRAMP_SEED chooses them, STATICTRAMP_SIGNATURES how many.

# c_signatures MACHINE ARCHIVE EMULATOR...: writes them, compiles them by gcc and clang at -O0 and -O2, and runs them.
c_signatures() {
    local machine=$1 archive=$2 gnu place by_gcc clang level with_libffi=() registers hidden=1 exe='' out
    local seed=${STATICTRAMP_SEED:-$(date +%s)} count=${STATICTRAMP_SIGNATURES:-$(share 2000)}
    shift 2
    [ "$count" -ge 100 ] || count=${STATICTRAMP_SIGNATURES:-100}
    gnu=$machine-linux-gnu
    case $machine in
    x86_64) need /usr/include/x86_64-linux-gnu/ffi.h=libffi-dev; with_libffi=(-DLIBFFI -lffi) registers=6 ;;
    aarch64) fetch_foreign arm64 bookworm libffi-dev; registers=8 hidden=0 ;;
    ppc64le) fetch_foreign ppc64el bookworm libffi-dev; gnu=powerpc64le-linux-gnu registers=8 ;;
    riscv64) fetch_foreign riscv64 'trixie sid' libffi-dev; registers=8 ;; # bookworm has no such architecture
    s390x) fetch_foreign s390x bookworm libffi-dev; registers=4 ;;
    i386) fetch_foreign i386 bookworm libffi-dev; gnu=i686-linux-gnu registers=16 ;;
    arm) fetch_foreign armhf bookworm libffi-dev; gnu=arm-linux-gnueabihf registers=4 ;;
    windows) gnu=x86_64-w64-mingw32 registers=4 exe=.exe ;; # Debian has no libffi for it
    esac
    by_gcc=("$gnu-gcc") clang=(clang-19 "--target=$gnu")
    if [ "$machine" != x86_64 ] && [ "$machine" != windows ]; then
        place=${gnu/i686/i386} # of Debian's libraries
        with_libffi=(-DLIBFFI "-I$foreign/usr/include/$place" "$foreign/usr/lib/$place/libffi.a")
        clang+=(-isystem "/usr/$gnu/include")
    fi
    [ "$machine" != riscv64 ] || clang+=(-march=rv64gc -mabi=lp64d)
    out=$PWD/target/signatures/$machine
    mkdir -p "$out"
    echo "seed $seed"
    perl tests/programs/signatures/generate.pl "$count" "$seed" "$machine" "$out"
    for level in O0 O2; do
        "${by_gcc[@]}" -$level -w -Wno-psabi -DPREFIX=gcc_$level -c "$out/calls.c" -o "$out/gcc_$level.o"
        "${clang[@]}" -$level -w -DPREFIX=clang_$level -c "$out/calls.c" -o "$out/clang_$level.o"
    done
    "${by_gcc[@]}" -O1 -w -DREGISTERS=$registers -DHIDDEN=$hidden -Icapi/include "-I$out" tests/programs/signatures/main.c \
        "$out"/{gcc,clang}_O{0,2}.o "$archive" "${with_libffi[@]}" -o "$out/main$exe"
    "$@" "$out/main$exe" >"$out/said" || { grep -v ' libffi ' "$out/said"; fail "$machine: signatures, generate.pl $count $seed"; }
    { grep ' libffi ' "$out/said" || true; } | sed 's/.*: //' | sort | uniq -c
    tail -n 1 "$out/said"
}
