# Builds the plugin for the versions of flang that it supports: 19 and 22 from this Debian, and 23 in the chroot. Sourced by legs of several houses.

# plugin_target VERSION: prints the target directory of the plugin for this version.
plugin_target() { if [ "$1" = 19 ]; then echo target; else echo "target/flang-$1"; fi; }

# plugin_settings VERSION: sets `settings`, with which cargo builds the plugin. A short run optimizes the plugin for LLVM
# 19 as a whole, and the other plugins only crate by crate.
plugin_settings() {
    local config=llvm-config-$1
    if [ "$1" = 23 ]; then # a script that runs in the chroot
        config=$PWD/target/llvm-config-23
        printf '#!/bin/sh\nchroot %s llvm-config-23 "$@" | sed "s|/usr/lib/llvm-23|%s&|g"\n' "$chroot" "$chroot" >"$config"
        chmod +x "$config"
    fi
    settings=("LLVM_CONFIG=$config" "CARGO_TARGET_DIR=$PWD/$(plugin_target "$1")")
    [ "$1" = 19 ] || [ "$effort" -ge 100 ] || settings+=(CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16)
}

# build_plugin VERSION
build_plugin() {
    local settings
    plugin_settings "$1"
    env "${settings[@]}" cargo build --quiet --release -p statictramp-flang --lib
}
