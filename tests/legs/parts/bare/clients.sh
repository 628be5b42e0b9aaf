# Tests examples/rtic-embassy: Embassy's executors and RTIC, as published. Sourced by template.sh, whose target directory it shares.

say "closures under Embassy and RTIC"
example=$PWD/examples/rtic-embassy
# client BIN LINES: builds a program and compares its output with these lines of the README. QEMU's board reports on stderr that its
# timer has no period.
client() {
    (cd "$example" && CARGO_TARGET_THUMBV7M_NONE_EABI_LINKER=ld.lld-19 target=$copy/target \
        cross_cargo thumbv7m-none-eabi build --release --locked --bin "$1")
    said=$(timeout 60 qemu-system-arm -M lm3s6965evb -nographic -semihosting-config enable=on,target=native \
        -kernel "$copy/target/thumbv7m-none-eabi/release/$1" </dev/null 2>"$copy/stderr") ||
        fail "$1: exit status $?, expected 0: $said $(cat "$copy/stderr")"
    [ "$said" = "$(sed -n "$2s/^    //p" "$example/README.md")" ] ||
        fail "examples/rtic-embassy/README.md does not show what $1 prints: $said"
    echo "$said"
}
client embassy "/^prints in QEMU/,/^Likewise/"
client rtic "/^Likewise/,/^A bound/"
