# Functions that build Rust code for other targets. Sourced by tests/legs/lib.sh.

# cross_capi TRIPLE [VARIABLE=VALUE]...: build_capi for another target, with the compiler of need_cross_rust.
# $variant distinguishes builds with other choices.
cross_capi() {
    # Link-time optimization compiles a core that make_sysroot has built again with the library, as it does with rustup's. Debian's core
    # contains C code, which calls functions of the program; Windows and musl need settings of their own.
    local compiler=$cross_rust core=-Zbuild-std=core,compiler_builtins
    case $1 in
    *-windows-* | *-musl) ;;
    *)
        make_sysroot "$1" || return 1
        [ -e "$sysroots/$1/debian_std" ] || compiler=$sysroots/rustc core=''
        ;;
    esac
    env RUSTC="$compiler" RUSTC_BOOTSTRAP=1 CARGO_BUILD_TARGET="$1" CARGO_TARGET_DIR="${target:-target/cross}/capi" "${@:2}" \
        capi/install.sh "$PWD/target/prefix-$1${variant:-}" ${core:+"$core"} >/dev/null || fail "libstatictramp does not build for $1"
    echo "target/prefix-$1${variant:-}/lib"
}

# need_cross_rust: makes $cross_rust a compiler that builds for targets without prebuilt libraries, with the sources of its core and std
# below the directory that it prints as its sysroot. This is the installed compiler, if it is rustup's and has the component rust-src, or if
# Debian has the sources of its release; otherwise it is Debian's compiler, which takes nearly twice as long to build the same code.
cross_rust=$(realpath -m .toolchains)/rust/rustc
need_cross_rust() {
    local place=${cross_rust%/*} version installed
    version=$(rustc -vV)
    mkdir -p .toolchains
    (
        flock 9
        [ "$version" != "$(cat "$place/version" 2>/dev/null)" ] || exit 0
        rm -rf "$place"
        mkdir -p "$place/lib/rustlib"
        installed=$(rustc --print sysroot)
        if [ -e "$installed/lib/rustlib/src/rust/library/Cargo.toml" ]; then
            ln -s "$installed/bin/rustc" "$cross_rust"
        elif rust_sources "$place" "$(sed -n 's/^release: //p' <<<"$version")" >/dev/null 2>&1; then
            ln -sf "$installed"/lib/rustlib/*-*-* "$place/lib/rustlib" # for build scripts
            printf '#!/bin/sh\ncase " $*" in *" --sysroot "*) ;; *) set -- --sysroot "%s" "$@" ;; esac\nexec "%s/bin/rustc" "$@"\n' \
                "$place" "$installed" >"$cross_rust"
            chmod +x "$cross_rust"
            RUSTC=$cross_rust RUSTC_BOOTSTRAP=1 fetch cargo fetch --quiet --locked --manifest-path "$place/lib/rustlib/src/rust/library/Cargo.toml"
        else
            need /usr/bin/rustc=rustc-web /usr/lib/rustlib/src/rust/library/Cargo.toml=rust-web-src
            ln -s /usr/bin/rustc "$cross_rust"
        fi
        echo "$version" >"$place/version"
    ) 9>"$place.lock"
    echo "other targets: Rust $("$cross_rust" -V)"
}
# rust_sources PLACE RELEASE: unpacks the standard library's sources of this release of Rust from Debian's source package in a sysroot at
# PLACE. Fails if Debian has none.
rust_sources() {
    local apt version uri name size hash place=$1/sources
    need apt-get=apt /usr/share/keyrings/debian-archive-keyring.gpg=debian-archive-keyring
    own_apt "$place" deb-src sid
    "${apt[@]}" update
    version=$("${apt[@]/#apt-get/apt-cache}" showsrc rustc | sed -n "s/^Version: \($2+dfsg.*\)/\1/p" | tail -n 1)
    [ -n "$version" ] || return 1
    # Only this file of the package is needed.
    # shellcheck disable=SC2034 # the size is not used
    read -r uri name size hash < <("${apt[@]}" source --print-uris "rustc=$version" | grep '\.orig\.tar\.xz ')
    /usr/lib/apt/apt-helper -qq download-file "$(tr -d "'" <<<"$uri")" "$place/$name" "$hash" || return 1
    mkdir -p "$1/lib/rustlib/src/rust"
    tar xf "$place/$name" -C "$1/lib/rustlib/src/rust" --strip-components=1 --wildcards '*/library/*' || return 1
    rm -r "$place"
}

# cross_cargo TRIPLE COMMAND ARGUMENT...: cargo with the compiler of need_cross_rust, for targets without prebuilt libraries; builds into
# $target, if that is set. A target's core and std are built once for all packages and profiles; the compiler then behaves like a stable
# one, which tells crates less about the processor. An argument -Zbuild-std changes both.
cross_cargo() {
    local compiler=(RUSTC="$cross_rust" RUSTC_BOOTSTRAP=1)
    case " $* " in
    *" -Zbuild-std"*) ;;
    *)
        make_sysroot "$1"
        # machine() sets it for a target whose inline assembly is unstable.
        compiler=("RUSTC=$sysroots/rustc" ${unstable:+RUSTC_BOOTSTRAP=1})
        ;;
    esac
    env "${compiler[@]}" cargo "$2" --quiet --target "$1" --target-dir "${target:-target/cross}" "${@:3}"
}

# rustup_std TRIPLE: links rustup's std for a Linux target with glibc into the sysroot. rustup downloads that std if it is missing. Fails
# for other targets, without rustup, if $cross_rust and rustc have different versions, or if rustup does not have this
# std. Also fails for Arm, where rustup's core contains atomic functions in C. One of them is a constructor that calls
# the program's getauxval.
rustup_std() {
    [[ $1 = *-linux-gnu* && $1 != a* ]] && [ "$("$cross_rust" -vV)" = "$(rustc -vV)" ] && add_target "$1" || return 1
    mkdir -p "$sysroots/$1/lib/rustlib"
    ln -s "$(dirname "$(rustc --print target-libdir --target "$1")")" "$sysroots/$1/lib/rustlib"
}

# add_target TRIPLE: lets rustup add the target to the installed compiler if it is missing. Concurrent calls of rustup
# would interfere with each other. Fails without rustup, or if rustup does not have this std.
add_target() {
    local there
    there=$(rustc --print target-libdir --target "$1") || return 1
    [ ! -d "$there" ] || return 0
    command -v rustup >/dev/null || { echo "this compiler has no std for $1, and rustup is not installed" && return 1; }
    flock .toolchains/rustup.lock timeout 600 rustup --quiet target add "$1" && [ -d "$there" ]
}

# debian_std TRIPLE: unpacks the std that Debian's compiler has for another of Debian's architectures. Fails if there is none of the
# same version, or if a mirror is in the middle of an update.
debian_std() {
    local architecture apt place=$sysroots/$1/debian
    [ "$cross_rust" -ef /usr/bin/rustc ] || return 1
    case $1 in
    aarch64-unknown-linux-gnu) architecture=arm64 ;;
    armv7-unknown-linux-gnueabihf) architecture=armhf ;;
    i686-unknown-linux-gnu) architecture=i386 ;;
    powerpc64le-unknown-linux-gnu) architecture=ppc64el ;;
    *) return 1 ;;
    esac
    own_apt "$place" deb bookworm
    sed -i 's#/debian bookworm #/debian-security bookworm-security #' "$place/sources.list"
    apt+=(-o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture")
    "${apt[@]}" update && (cd "$place" && "${apt[@]}" download "libstd-rust-web-dev=$(dpkg-query -W -f '${Version}' rustc-web)") &&
        dpkg -x "$place"/*.deb "$place/root" && mkdir -p "$sysroots/$1/lib/rustlib" && mv "$place/root/usr/lib/rustlib/$1" "$sysroots/$1/lib/rustlib" &&
        touch "$sysroots/$1/debian_std"
}

# make_sysroot TRIPLE: puts the libraries that rustup ships for common targets, core (boards and macOS) or std, in
# $sysroots/TRIPLE; the script $sysroots/rustc makes the compiler look for them there. Libraries that neither rustup nor Debian has
# are built, which takes 12 to 30 seconds of processor time. A sysroot is therefore kept with the other tools until the compiler or these
# functions change. The folder may be copied or hard-linked.
sysroots=$(realpath -m .toolchains)/sysroots
make_sysroot() {
    local crates=core,compiler_builtins level=z version
    version="$("$cross_rust" -vV; declare -f rustup_std debian_std build_sysroot make_sysroot | cksum)"
    ! has_sysroot "$1" "$version" || return 0
    case $1 in
    *-none | *-none-* | *-msvc) ;;
    *-apple-*) crates+=,alloc ;;
    *) crates=std,panic_unwind,panic_abort,test level=0 ;;
    esac
    (
        mkdir -p "$sysroots/$1"
        exec 9>"$sysroots/$1/lock"
        flock 9
        ! has_sysroot "$1" "$version" || exit 0
        rm -rf "${sysroots:?}/$1"/{lib,debian,debian_std,empty}
        rustup_std "$1" >/dev/null 2>&1 || debian_std "$1" >/dev/null 2>&1 || build_sysroot "$1" "$crates" "$level"
        rm -rf "${sysroots:?}/$1/debian"
        # cargo does not notice that the target's artifacts were built with another core. Directories with a core of
        # their own (cross_capi) stay: another leg may be building there.
        [ ! -e "$sysroots/$1/version" ] ||
            find "$PWD/target" -maxdepth 4 -type d -name "$1" -not -path "*/own-core*" -prune -exec rm -rf {} +
        printf '#!/bin/sh\nfor word; do\n    [ "$last" != --target ] || exec %s --sysroot "${0%%/*}/$word" "$@"\n    last=$word\ndone\nexec %s "$@"\n' \
            "$cross_rust" "$cross_rust" >"$sysroots/rustc.$1"
        chmod +x "$sysroots/rustc.$1"
        # cargo rebuilds everything for a changed compiler.
        if cmp -s "$sysroots/rustc.$1" "$sysroots/rustc"; then
            rm "$sysroots/rustc.$1"
        else
            mv "$sysroots/rustc.$1" "$sysroots/rustc" # atomically, as other legs may be running it
        fi
        rm -f "$sysroots/$1/version" # a hard link of it belongs to another checkout
        echo "$version" >"$sysroots/$1/version"
    )
}

# has_sysroot TRIPLE VERSION: succeeds if $sysroots/TRIPLE is complete and of this version. rustup may have removed the std since it was
# linked.
has_sysroot() { [ "$2" = "$(cat "$sysroots/$1/version" 2>/dev/null)" ] && [ -d "$sysroots/$1/lib/rustlib/$1" ]; }

# build_sysroot TRIPLE CRATES LEVEL: builds these crates of the standard library, optimized at this level.
build_sysroot() {
    local place=$sysroots/$1 flags=-Cembed-bitcode=yes panic=unwind
    [[ $1 != *-msvc ]] || panic=abort # mingw's runtime does not have the function that Microsoft's unwinder calls
    new_package "$place/empty" empty
    # libstatictramp contains parts of core, except with musl, where an optimized core needs bcmp from a libc that the linker has already
    # searched.
    case $1-$3 in
    *-musl-*) ;;
    *-0) printf '[profile.release.package.%s]\nopt-level = 3\n' core compiler_builtins >>"$place/empty/Cargo.toml" ;;
    esac
    echo '#![no_std]' >"$place/empty/src/lib.rs"
    # As in Rust's own builds, compiler_builtins does not unwind.
    printf '#!/bin/sh\ncase " $* " in *" --crate-name compiler_builtins "*) set -- "$@" -Cpanic=abort ;; esac\nexec %s "$@"\n' \
        "$cross_rust" >"$place/compiler"
    chmod +x "$place/compiler"
    # Link-time optimization needs the bitcode, which cargo omits as unused. RISC-V boards have no memory for the paths of core's sources
    # in messages. No test prints std's backtraces, whose crates take as long to build as std itself.
    case $1 in riscv*-none-*) flags+=$'\x1f'-Zlocation-detail=none ;; esac
    RUSTC=$place/compiler RUSTC_BOOTSTRAP=1 CARGO_ENCODED_RUSTFLAGS=$flags CARGO_PROFILE_RELEASE_OPT_LEVEL=$3 CARGO_PROFILE_RELEASE_PANIC=$panic \
        cargo build --quiet --release --target "$1" --target-dir "$place/build" "-Zbuild-std=$2" -Zbuild-std-features=panic-unwind \
        --manifest-path "$place/empty/Cargo.toml" || fail "Rust's core library could not be built for $1"
    mkdir -p "$place/lib/rustlib/$1/lib"
    mv "$place/build/$1"/release/deps/*.rlib "$place/lib/rustlib/$1/lib"
    rm -r "$place/build" "$place"/lib/rustlib/*/lib/libempty-*
}
