# Closures that compiler-generated functions call (STATICTRAMP_ASM=none) pass checks of indirect calls, in Rust and in C: kcfi, and
# cfi-icall with full and thin link-time optimization. Sourced by the leg hardened, after flow.sh.
# shellcheck disable=SC2086 # $emulator: several words

checked=tests/programs/hardened/checked
# check_closures TRIPLE TRAP WHAT CHECK CLANG OPTIONS... -- RUST OPTIONS...: builds the program with a check, and runs each case. TRAP is
# the exit status of a failed check.
check_closures() {
    local triple=$1 trap=$2 what=$3 check=$4 clang=() case
    shift 4
    while [ "$1" != -- ]; do clang+=("$1") && shift; done
    shift
    # The prebuilt core is not checked. The options below are unstable.
    env RUSTC="$compiler" RUSTC_BOOTSTRAP=1 STATICTRAMP_ASM=none \
        RUSTFLAGS="-Cpanic=abort -Zsanitizer=$check -Zsanitizer-cfi-normalize-integers -Cunsafe-allow-abi-mismatch=sanitizer,sanitizer-cfi-normalize-integers $*" \
        cargo build --quiet --locked --release --target "$triple" --target-dir "$out/rust-$check" --manifest-path $checked/Cargo.toml
    clang-22 --target="$triple" -O2 -Wall -Wextra -Werror -fuse-ld=lld-22 -static -fno-sanitize-ignorelist "${clang[@]}" \
        -fsanitize-cfi-icall-experimental-normalize-integers $checked/main.c "$out/rust-$check/$triple/release/libchecked.a" -o "$out/checked"
    ends 0 "$what: every form of closure" $emulator "$out/checked" 0
    ends "$trap" "$what: a pointer of another type, called in C" $emulator "$out/checked" 1
    ends "$trap" "$what: the same, called in Rust" $emulator "$out/checked" 2
    ends "$trap" "$what: a slot forged with a callee of another type" $emulator "$out/checked" 3
    ends "$trap" "$what: a slot forged with a C function" $emulator "$out/checked" 4
    ends 0 "$what: a slot forged with a callee of the same type" $emulator "$out/checked" 5
    ends 0 "$what: the handler of a call after the guard was dropped" $emulator "$out/checked" 6
}
# check_machine TRIPLE TRAP
check_machine() {
    local way
    check_closures "$1" "$2" "${1%%-*}, kcfi" kcfi -fsanitize=kcfi --
    for way in full thin; do
        check_closures "$1" "$2" "${1%%-*}, cfi-icall, $way" cfi -flto=$way -fvisibility=hidden -fsplit-lto-unit -fsanitize=cfi-icall \
            -- -Clinker-plugin-lto -Zsplit-lto-unit
    done
}

say "closures under checks of indirect calls"
emulator='' compiler=rustc
check_machine x86_64-unknown-linux-gnu 132
machine aarch64
make_sysroot aarch64-unknown-linux-gnu
compiler=$sysroots/rustc
check_machine aarch64-unknown-linux-gnu 133
