# Signatures that a board's processor cannot support are rejected at compile time, with a message; the largest supported
# signatures compile. A part of the "bare" leg.

say "rejected signatures"
refused=$out/refused
new_package "$refused" refused
printf 'statictramp = { path = "%s", default-features = false }\n' "$PWD" >>"$refused/Cargo.toml"
# binds TRIPLE PARAMETERS: builds a library that binds a closure with PARAMETERS words of parameters.
binds() {
    local words=() i
    for ((i = 0; i < $2; i++)); do words+=("_: usize"); done
    printf '#![no_std]\npub fn bind() -> bool { let tag = 5; statictramp::bind(&|%s| tag).is_ok() }\n' \
        "$(IFS=,; echo "${words[*]}")" >"$refused/src/lib.rs"
    (
        flock 8
        target=$out STATICTRAMP_SLOTS=32 STATICTRAMP_ASM=rust cross_cargo "$1" build --release --offline --manifest-path "$refused/Cargo.toml" 2>&1
    ) 8>"$out/lock"
}
for entry in thumbv7m-none-eabi:4:"four words of arguments" thumbv7em-none-eabihf:6:"six words of arguments" riscv32imac-unknown-none-elf:6:"six registers' worth of arguments" \
    aarch64-unknown-none:6:"six registers' worth of arguments"; do
    IFS=: read -r triple most words <<<"$entry"
    said=$(binds "$triple" "$most") || fail "$triple: $most words: $said"
    said=$(binds "$triple" $((most + 1))) && fail "$triple: the build accepted a closure with $((most + 1)) words of parameters"
    grep -q "on this target, a closure can take at most $words.*: pass a reference to a struct that contains the arguments" <<<"$said" ||
        fail "$triple: $((most + 1)) words: $said"
    echo "$triple: $most words compile, and one more is rejected"
done
