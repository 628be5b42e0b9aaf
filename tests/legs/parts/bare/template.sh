# Tests examples/cortex-m. Sourced by tests/legs/bare.sh.

say "a copy of the template"
for triple in thumbv7m-none-eabi thumbv6m-none-eabi; do make_sysroot $triple; done # make_sysroot must run in this directory
copy=$PWD/target/cross/template
rm -rf "$copy"
cp -r examples/cortex-m "$copy"
sed -i "s|\"../..\"|\"$PWD\"|" "$copy/Cargo.toml"
said=$(cd "$copy" && CARGO_TARGET_THUMBV7M_NONE_EABI_LINKER=ld.lld-19 target=$copy/target \
    cross_cargo thumbv7m-none-eabi run --release 2>&1)
wanted=$(sed -n '/^    channel/,/^$/s/^    //p' examples/cortex-m/README.md)
[ "$said" = "$wanted" ] || fail "the template prints: $said, expected: $wanted"
echo "$said"

say "the programs of README.md and docs/boards.md, in place of the template's program"
[ "$(doc_block docs/boards.md ld 1)" = "$(grep -v '^/\*' "$copy/memory.x" | grep .)" ] || fail "the memory.x in docs/boards.md differs from the template's"
doc_block docs/boards.md sh 1 | grep -qF "CARGO_BUILD_TARGET=thumbv7m-none-eabi CC=\"arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb\" capi/install.sh" ||
    fail "the build command in docs/boards.md differs from the tested one"
doc_block docs/boards.md toml 2 | while read -r line; do
    grep -qxF "$line" "$copy/.cargo/config.toml" || [ "$line" = "# .cargo/config.toml" ] || fail "this line of docs/boards.md is missing from the template's .cargo/config.toml: $line"
done
doc_block docs/boards.md toml 1 | sed "s#version = \"0.1\"#path = \"$PWD\", version = \"0.1.0\"#" | sed -n 2p | grep -qxFf - "$copy/Cargo.toml" || fail "the features in docs/boards.md differ from those in the template's Cargo.toml"
# as_main SAID: runs the program on standard input in place of the template's main.rs.
as_main() {
    cat >"$copy/src/main.rs"
    said=$(cd "$copy" && CARGO_TARGET_THUMBV7M_NONE_EABI_LINKER=ld.lld-19 target=$copy/target \
        cross_cargo thumbv7m-none-eabi run --release 2>&1)
    [ "$said" = "$1" ] || fail "the program printed: $said, expected: $1"
    echo "$said"
}
as_main 6 < <(doc_block README.md rust,ignore 1)
as_main "$(doc_block docs/boards.md text 1)" < <(doc_block docs/boards.md rust,ignore 1)

say "docs/boards.md on a Cortex-M0"
# on_m0: builds the program of docs/boards.md in place of the template's program, and sets `said`.
on_m0() {
    said=$(cd "$copy" && CARGO_TARGET_THUMBV6M_NONE_EABI_LINKER=ld.lld-19 target=$copy/target cross_cargo thumbv6m-none-eabi build --release 2>&1)
}
sed -i '/^cortex-m = /d' "$copy/Cargo.toml"
! on_m0 || fail "a program without an implementation of critical sections links"
must_say _critical_section_1_0_acquire
doc_block docs/boards.md toml 3 | sed -i '/^\[dependencies\]/r /dev/stdin' "$copy/Cargo.toml"
sed -i "/^#!\[no_main\]/a $(grep -o 'use cortex_m as _;' docs/boards.md)" "$copy/src/main.rs"
on_m0 || fail "$said"
limit=300 run mps2-an385 "$copy/target/thumbv6m-none-eabi/release/cortex-m-template" qemu-system-arm
[ "$said" = "$(doc_block docs/boards.md text 1)" ] || fail "the output of the program in docs/boards.md on a Cortex-M0 differs from the page: $said"
echo "$said"
