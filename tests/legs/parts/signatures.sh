# Random signatures of C (generate.pl, main.c), for statictramp_bind_raw and statictramp_bind_first, beside libffi's closures.
# Sourced by the legs "abi" and "cross". STATICTRAMP_SEED chooses them, STATICTRAMP_SIGNATURES how many.

# fetch_libffi ARCHITECTURE SUITE: Debian's library for another architecture, in $libffi.
fetch_libffi() {
    local place=$PWD/.toolchains/libffi-$1 apt
    libffi=$place/root
    [ ! -e "$place/.complete" ] || return 0
    need apt-get=apt dpkg=dpkg /usr/share/keyrings/debian-archive-keyring.gpg=debian-archive-keyring
    mkdir -p "$place"/{lists/partial,cache/archives/partial,root}
    : >"$place/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $2 main" >"$place/sources.list"
    apt=(apt-get -qq -o "APT::Architecture=$1" -o "APT::Architectures=$1" -o "Dir::State=$place" -o "Dir::State::lists=$place/lists"
        -o "Dir::State::status=$place/status" -o "Dir::Cache=$place/cache" -o "Dir::Etc::SourceList=$place/sources.list"
        -o Dir::Etc::SourceParts=- -o Acquire::Languages=none -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root)
    "${apt[@]}" update
    (cd "$place" && "${apt[@]}" download libffi-dev && dpkg -x libffi-dev_*.deb root)
    touch "$place/.complete"
}

# c_signatures MACHINE ARCHIVE EMULATOR...: writes them, compiles them by gcc and clang at -O0 and -O2, and runs them.
c_signatures() {
    local machine=$1 archive=$2 gnu gcc clang level with_libffi registers hidden=1 out
    local seed=${STATICTRAMP_SEED:-$(date +%s)} count=${STATICTRAMP_SIGNATURES:-$(share 2000)}
    shift 2
    [ "$count" -ge 100 ] || count=${STATICTRAMP_SIGNATURES:-100}
    gnu=$machine-linux-gnu
    case $machine in
    x86_64) need /usr/include/x86_64-linux-gnu/ffi.h=libffi-dev; with_libffi=(-lffi) registers=6 ;;
    aarch64) fetch_libffi arm64 bookworm; registers=8 hidden=0 ;;
    ppc64le) fetch_libffi ppc64el bookworm; gnu=powerpc64le-linux-gnu registers=8 ;;
    riscv64) fetch_libffi riscv64 trixie; registers=8 ;; # bookworm has no such architecture
    s390x) fetch_libffi s390x bookworm; registers=4 ;;
    arm) fetch_libffi armhf bookworm; gnu=arm-linux-gnueabihf registers=4 ;;
    esac
    gcc=("$gnu-gcc") clang=(clang-19 "--target=$gnu")
    if [ "$machine" != x86_64 ]; then
        with_libffi=("-I$libffi/usr/include/$gnu" "$libffi/usr/lib/$gnu/libffi.a")
        clang+=(-isystem "/usr/$gnu/include")
    fi
    [ "$machine" != riscv64 ] || clang+=(-march=rv64gc -mabi=lp64d)
    out=$PWD/target/signatures/$machine
    mkdir -p "$out"
    echo "seed $seed"
    perl tests/programs/signatures/generate.pl "$count" "$seed" "$machine" "$out"
    for level in O0 O2; do
        "${gcc[@]}" -$level -w -Wno-psabi -DPREFIX=gcc_$level -c "$out/calls.c" -o "$out/gcc_$level.o"
        "${clang[@]}" -$level -w -DPREFIX=clang_$level -c "$out/calls.c" -o "$out/clang_$level.o"
    done
    "${gcc[@]}" -O1 -w -DREGISTERS=$registers -DHIDDEN=$hidden -DLIBFFI -Icapi/include "-I$out" tests/programs/signatures/main.c \
        "$out"/{gcc,clang}_O{0,2}.o "$archive" "${with_libffi[@]}" -o "$out/main"
    "$@" "$out/main" >"$out/said" || { grep -v ' libffi ' "$out/said"; fail "$machine: signatures, generate.pl $count $seed"; }
    { grep ' libffi ' "$out/said" || true; } | sed 's/.*: //' | sort | uniq -c
    tail -n 1 "$out/said"
}
