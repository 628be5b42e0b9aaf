# The versions of flang that the plugin supports: 19 and 22 from this Debian, and 23 in the chroot. Sourced.
#
# All files that are compiled and run are in one directory. For flang 23 it has another name.
work=$chroot/statictramp-flang

# of VERSION PATH: prints a path below the work directory as this flang sees it.
of() {
    local path
    path=$(realpath -m "$2")
    if [ "$1" = 23 ]; then echo "${path#"$chroot"}"; else echo "$path"; fi
}

plugin() { of "$1" "$work/plugin-$1/libstatictramp_flang.so"; }

# flang VERSION ARGUMENT...
flang() {
    local version=$1 libraries=()
    shift
    case " $* " in
    *" -c "* | *" -S "*) ;;
    *)
        # LLVM 22's libomp cannot be installed together with LLVM 19's. The latter works as well.
        [ "$version" = 23 ] || libraries=("-L$work/omp")
        [ "$version" != 19 ] || libraries+=(-L/usr/lib/llvm-19/lib)
        ;;
    esac
    case $version in
    19) flang-new-19 "$@" "${libraries[@]}" ;;
    22) flang-22 "$@" "${libraries[@]}" ;;
    23) in_sid /statictramp-flang env STATICTRAMP_ESCAPES="${STATICTRAMP_ESCAPES:-off}" flang-23 "$@" ;;
    esac
}

# run VERSION [VARIABLE=VALUE]... COMMAND...: runs a program. If the kernel can deny W+X memory to the program, it does.
run() {
    local version=$1 settings=(NO_STOP_MESSAGE=1 OMP_NUM_THREADS=4 LD_LIBRARY_PATH=/usr/lib/llvm-19/lib:/usr/lib/llvm-23/lib)
    shift
    case $version in
    23) in_sid /statictramp-flang ${guard:+"$(of 23 "$guard")"} env "${settings[@]}" "$@" ;;
    *) $guard env "${settings[@]}" "$@" ;;
    esac
}

# builds VERSION SOURCE: succeeds if this flang builds the program. If it does not, the source states this and the reason.
builds() { ! grep -q "^! flang $1 does not build this: " "$2"; }

# llvm_config VERSION: prints the llvm-config of this version. For 23 this is a script that runs in the chroot.
llvm_config() {
    if [ "$1" != 23 ]; then
        echo "llvm-config-$1"
        return
    fi
    mkdir -p "$work"
    cat >"$work/llvm-config-23" <<END
#!/bin/sh
chroot $chroot llvm-config-23 "\$@" | sed 's|/usr/lib/llvm-23|$chroot&|g'
END
    chmod +x "$work/llvm-config-23"
    echo "$work/llvm-config-23"
}

# plugin_target VERSION: prints the target directory of the plugin for this version.
plugin_target() { if [ "$1" = 19 ]; then echo target; else echo "target/flang-$1"; fi; }

# plugin_settings VERSION: sets `settings`, with which cargo builds the plugin. A short run optimizes the plugin for LLVM
# 19 as a whole, the others only crate by crate.
plugin_settings() {
    settings=("LLVM_CONFIG=$(llvm_config "$1")" "CARGO_TARGET_DIR=$PWD/$(plugin_target "$1")")
    [ "$1" = 19 ] || [ "$effort" -ge 100 ] || settings+=(CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16)
}

# build_plugin VERSION
build_plugin() {
    local settings
    plugin_settings "$1"
    env "${settings[@]}" cargo build --quiet --release -p statictramp-flang --lib
}
