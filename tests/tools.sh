# What the legs share. Sourced by tests/run at the top of the project.

effort=${STATICTRAMP_EFFORT:-100}
chroot=$(realpath -m .toolchains)/sid # flang 23 knows its files by what is behind this

say() { printf '\n== %s\n' "$*"; }
fail() { printf 'tests/run: %s\n' "$*" >&2; exit 1; }

# share N: N, or as much of it as STATICTRAMP_EFFORT asks for.
share() { echo $(($1 * effort / 100 > 0 ? $1 * effort / 100 : 1)); }

# need COMMAND=PACKAGE... or /FILE=PACKAGE...: installs the packages whose commands or files are missing.
need() {
    local missing=() entry
    for entry in "$@"; do
        [ -e "${entry%%=*}" ] || command -v "${entry%%=*}" >/dev/null || missing+=("${entry#*=}")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" = 0 ] && [ -f /etc/debian_version ]; then
        apt-get update -qq
        # Unquoted: an entry may name several packages.
        DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends ${missing[@]} >/dev/null
    else
        echo "tests/run: some tools are missing; install them with" >&2
        echo "    apt-get install ${missing[*]}" >&2
        echo "(elsewhere than on Debian: whatever has ${*%%=*})" >&2
        exit 2
    fi
}

# need_sid COMMAND=PACKAGE...: the same for the Debian sid in .toolchains.
need_sid() {
    local missing=() entry mirror
    need debootstrap=debootstrap
    [ "$(id -u)" = 0 ] || { echo "tests/run: using $chroot takes root: sudo tests/run" >&2; exit 2; }
    if [ ! -e "$chroot/.complete" ]; then
        mirror=$(apt-cache policy | sed -n 's/^ *500 \(http[^ ]*\) bookworm\/main.*/\1/p' | head -n 1)
        rm -rf "$chroot"
        mkdir -p "$chroot"
        debootstrap --variant=minbase sid "$chroot" ${mirror:+"$mirror"} >/dev/null
        touch "$chroot/.complete"
    fi
    for entry in "$@"; do
        [ -e "$chroot/usr/bin/${entry%%=*}" ] || [ -e "$chroot${entry%%=*}" ] || missing+=("${entry#*=}")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    # A mirror may be behind the date up to which sid's lists are good.
    chroot "$chroot" apt-get update -qq -o Acquire::Check-Valid-Until=false
    DEBIAN_FRONTEND=noninteractive chroot "$chroot" \
        apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
}

# in_sid DIRECTORY COMMAND...: runs a command in a directory of the chroot.
in_sid() {
    local directory=$1
    shift
    chroot "$chroot" env -C "$directory" LC_ALL=C "$@"
}

# build_capi [VARIABLE=VALUE | FEATURE]...: the C library with these choices, installed in a directory for them.
# Prints the directory of its libraries.
build_capi() {
    local choice choices='' variables=() features=()
    for choice in "$@"; do
        case $choice in *=*) variables+=("$choice") ;; *) features+=("$choice") ;; esac
    done
    [ $# -eq 0 ] || choices=-$(printf '%s-' "$@" | tr -c 'A-Za-z0-9\n' '-')
    env CARGO_TARGET_DIR="target${choices:+/capi$choices}" FEATURES="${features[*]}" "${variables[@]}" \
        capi/install.sh "$PWD/target/prefix$choices" >/dev/null
    echo "target/prefix$choices/lib"
}

# cross_capi TRIPLE [VARIABLE=VALUE]...: the same for another target, by Debian's compiler (need_debian_rust).
cross_capi() {
    env RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_BUILD_TARGET="$1" CARGO_TARGET_DIR="${target:-target/cross}" "${@:2}" \
        capi/install.sh "$PWD/target/prefix-$1" -Zbuild-std=core,compiler_builtins >/dev/null
    echo "target/prefix-$1/lib"
}

# linker_script LIBRARY: the installed script that gives the slots pages of their own.
linker_script() { echo "$1/../share/statictramp/statictramp.ld"; }

# lay_shared_library LIBRARY DIRECTORY: the shared library under the names by which it is linked and loaded.
lay_shared_library() {
    cp "$1/libstatictramp.so.0" "$2"
    ln -sf libstatictramp.so.0 "$2/libstatictramp.so"
}

# wait_for TEXT FILE: until a program has written this, for 10 seconds at most.
wait_for() {
    local i
    for ((i = 0; i < 100; i++)); do
        ! grep -q "$1" "$2" || return 0
        sleep 0.1
    done
}

# squeeze_blanks: of what a Fortran program prints, in which blanks differ between compilers.
squeeze_blanks() { sed 's/^ *//; s/  */ /g'; }

# unpack_gcc_suite: the parts of GCC's own test suite that can be run, in target/gcc-suite.
unpack_gcc_suite() {
    local suite=target/gcc-suite
    [ ! -e $suite/.complete ] || return 0
    mkdir -p $suite
    tar xJf /usr/src/gcc-12/gcc-12.2.0-dfsg.tar.xz -C $suite --strip-components=3 --wildcards \
        '*/gcc/testsuite/gcc.c-torture/execute/*' '*/gcc/testsuite/gcc.dg/*.[ch]' '*/gcc/testsuite/gfortran.dg/*.[fF]90'
    touch $suite/.complete
}

# stack_rights FILE: the rights of the stack that a program asks for.
stack_rights() { readelf -lW "$1" | awk '/GNU_STACK/ { print $7 }'; }

# no_wx COMMAND...: sets `guard` to the command, which runs another under PR_SET_MDWE, or to nothing where the kernel
# does not have that. `in_sid PLACE` may stand before it.
no_wx() {
    guard=${*: -1}
    if ! "$@" true; then
        guard=
        echo "PR_SET_MDWE: not available on this kernel"
    fi
}

# mount_proc: /proc in the chroot, until the leg ends.
mount_proc() {
    mountpoint -q "$chroot/proc" || mount -t proc proc "$chroot/proc"
    trap 'umount "$chroot/proc"' EXIT
}

# copy_core DIRECTORY: the sources of the core crate alone, as a workspace of their own.
copy_core() {
    mkdir -p "$1"
    cp -r Cargo.toml Cargo.lock build.rs asm docs linker src "$1"
    perl -0pi -e 's/^members = .*?\n/members = ["."]\n/m; s/^default-members = .*?\n//m; s/\[\[(?:bench|test)\]\].*?\n\n//sg' "$1/Cargo.toml"
}

# new_package DIRECTORY NAME: a program of its own that the test goes on to write: its Cargo.toml up to the
# dependencies, and the versions of crates that are used here.
new_package() {
    mkdir -p "$1/src"
    cp Cargo.lock "$1"
    printf '[workspace]\n[package]\nname = "%s"\nversion = "0.0.0"\nedition = "2024"\n[dependencies]\n' "$2" >"$1/Cargo.toml"
}

# debian_cargo TRIPLE COMMAND ARGUMENT...: cargo with Debian's compiler, which has the sources of a core and std of its own
# version, for targets for which there is none ready; into $target, if that is set. need_debian_rust installs it.
need_debian_rust() {
    need /usr/bin/rustc=rustc-web /usr/lib/rustlib/src/rust/library/Cargo.toml=rust-web-src
}
debian_cargo() {
    RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 cargo "$2" --quiet --target "$1" --target-dir "${target:-target/cross}" "${@:3}"
}

# same_stubs TRIPLE PREFIX STRIDE [MORE]: the stubs that the C compiler assembles, and those that rustc does, byte by byte.
# PREFIX is that of binutils for the target; CC_... has named the compiler. MORE bytes lie behind the stubs, and what an
# assembler fills the section up with.
same_stubs() {
    local triple=$1 prefix=$2 stride=$3 more=${4:-0} assembler made out=target/cross/stubs objects=target/cross/$1/release
    mkdir -p $out
    for assembler in cc rust; do
        STATICTRAMP_ASM=$assembler STATICTRAMP_SLOTS=64 debian_cargo "$triple" rustc -Zbuild-std=core,compiler_builtins \
            --release -p statictramp --no-default-features --lib --config profile.release.lto=false -- --emit=obj
        # The newest is what this build has made.
        if [ $assembler = cc ]; then
            rm -f $out/*.o
            made=$PWD/$(ls -t "$objects"/build/statictramp-*/out/libstatictramp_0_1_table.a | head -n 1)
            (cd $out && "${prefix}ar" x "$made")
            made=$(ls $out/*.o)
        else
            made=$(ls -t "$objects"/deps/statictramp-*.o | head -n 1)
        fi
        "${prefix}objcopy" -O binary -j .text.statictramp "$made" $out/section.bin
        head -c $((64 * stride + more)) $out/section.bin >$out/$assembler.bin
        [ "$(stat -c %s $out/section.bin)" -lt $((64 * stride + more + 64)) ] || fail "$triple: more than 64 stubs of $stride bytes"
    done
    [ "$(stat -c %s $out/cc.bin)" = $((64 * stride + more)) ] || fail "$triple: not 64 stubs of $stride bytes"
    cmp $out/cc.bin $out/rust.bin || fail "$triple: the stubs differ between the C compiler and rustc"
    echo "$triple: 64 stubs of $stride bytes, the same by the C compiler and by rustc"
}
