# Tests examples/rtic-embassy: Embassy's executors and RTIC, as published. They take about 40 seconds of processor time. Sourced by
# tests/legs/bare.sh.

say "closures under Embassy and RTIC"
example=$PWD/examples/rtic-embassy
built=$PWD/target/cross/rtic-embassy
make_sysroot thumbv7m-none-eabi # it must run in this directory
mkdir -p "$built"
# client BIN LINES: builds a program and compares its output with these lines of the README. QEMU's board reports on stderr that its
# timer has no period.
client() {
    (cd "$example" && CARGO_TARGET_THUMBV7M_NONE_EABI_LINKER=ld.lld-19 target=$built \
        cross_cargo thumbv7m-none-eabi build --release --locked --bin "$1")
    said=$(timeout 60 qemu-system-arm -M lm3s6965evb -nographic -semihosting-config enable=on,target=native \
        -kernel "$built/thumbv7m-none-eabi/release/$1" </dev/null 2>"$built/stderr") ||
        fail "$1 exited with status $?, expected 0: $said $(cat "$built/stderr")"
    [ "$said" = "$(sed -n "$2s/^    //p" "$example/README.md")" ] ||
        fail "examples/rtic-embassy/README.md does not show what $1 prints: $said"
    echo "$said"
}
client embassy "/^prints in QEMU/,/^Likewise/"
client rtic "/^Likewise/,/^A bound/"
