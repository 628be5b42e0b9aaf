# What the legs share. Sourced by tests/run at the top of the project.

effort=${STATICTRAMP_EFFORT:-100}
chroot=$PWD/.toolchains/sid

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
        DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
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

# build_capi [VARIABLE=VALUE...]: the C library in the release profile, in a target directory for this
# choice of variables. Prints the directory.
build_capi() {
    local directory=target
    [ $# -eq 0 ] || directory=target/capi-$(printf '%s-' "$@" | tr -c 'A-Za-z0-9\n' '-')
    env "$@" cargo build --quiet --release -p statictramp-capi --target-dir "$directory" >&2
    echo "$directory/release"
}

# build_capi_with FEATURE: the C library with a feature, likewise.
build_capi_with() {
    cargo build --quiet --release -p statictramp-capi --features "$1" --target-dir "target/capi-with-$1" >&2
    echo "target/capi-with-$1/release"
}
