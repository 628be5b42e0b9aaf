# Targets without stubs: compiler-generated functions, here and in WebAssembly; then the stubs without a C compiler.
# Installs: Node.js, lld, gcc for i686; Rust for WebAssembly.
# Takes: 2 minutes.

need node=nodejs wasm-ld-19=lld-19
need_cross_rust

out=$PWD/target/portable
program=tests/programs/portable
mkdir -p "$out"

# ends_with WORD SENTENCE COMMAND...: the program, run with the word, prints the sentence and terminates.
ends_with() {
    local said
    said=$("${@:3}" "$1" 2>&1) && fail "${*:3} $1: the program did not abort"
    grep -q "$2" <<<"$said" || fail "${*:3} $1: $said"
}
# works WANTED COMMAND...: the program prints the wanted output, and terminates where it should.
works() {
    local said
    said=$("${@:2}")
    grep -qx "$1" <<<"$said" || fail "${*:2}: $said"
    # Cargo compiles with a path that begins at the program's folder.
    ends_with dead '^statictramp: call through a freed trampoline: slot .* (statictramp_portable::main::{{closure}}, bound at src/main.rs:[1-9][0-9]*)$' "${@:2}"
    ends_with again '^statictramp: .*was called during another call' "${@:2}"
    echo "${*:2}: $said"
}

say "functions in place of stubs, on this processor"
export STATICTRAMP_ASM=none
rm -rf "$out/core"
copy_core_tests "$out/core"
PROPTEST_CASES=$(share 32) test_core "$out/core" --test closures
# The largest of the features applies, unless the variable overrides them.
for slots in 64 256 7; do
    features=()
    [ $slots = 64 ] || features=(--features "statictramp/slots-256 statictramp/slots-64")
    [ $slots != 7 ] || export STATICTRAMP_SLOTS=7
    cargo build --quiet --release --manifest-path $program/Cargo.toml --target-dir "$out" "${features[@]}"
    works "$slots slots; this build for the target x86_64-unknown-linux-gnu has no stubs, so static chains cannot be passed; closures can still be bound" \
        "$out/release/statictramp-portable"
done
unset STATICTRAMP_SLOTS
cargo check --quiet -p statictramp --features slots-65536 --target-dir "$out" # at most 4,096 here
said=$(cargo check --quiet -p statictramp-raw --target-dir "$out" 2>&1) && fail "statictramp-raw was built, although it has no stubs with STATICTRAMP_ASM=none"
grep -q 'statictramp-raw needs stubs, and this build for the target x86_64-unknown-linux-gnu has none, because STATICTRAMP_ASM is none' <<<"$said" || fail "$said"
said=$(cargo check --quiet -p statictramp-archive --target-dir "$out" 2>&1) && fail "libstatictramp was built, although it has no stubs with STATICTRAMP_ASM=none"
grep -q '^error: libstatictramp needs stubs, and this build for the target x86_64-unknown-linux-gnu has none' <<<"$said" || fail "$said"
said=$(STATICTRAMP_SLOTS=4097 cargo check --quiet -p statictramp --target-dir "$out" 2>&1) && fail "the build accepted STATICTRAMP_SLOTS=4097"
grep -q 'STATICTRAMP_SLOTS is 4097, .* the maximum is 4096' <<<"$said" || fail "$said"
say "i686-unknown-linux-gnu: stdcall, fastcall and thiscall"
need i686-linux-gnu-gcc=gcc-i686-linux-gnu /lib/ld-linux.so.2=libc6-i386 /usr/lib32/libgcc_s.so.1=lib32gcc-s1
target=$out CARGO_TARGET_I686_UNKNOWN_LINUX_GNU_LINKER=i686-linux-gnu-gcc cross_cargo i686-unknown-linux-gnu build --manifest-path $program/Cargo.toml
works "64 slots; this build for the target i686-unknown-linux-gnu has no stubs, so static chains cannot be passed; closures can still be bound" \
    "$out/i686-unknown-linux-gnu/debug/statictramp-portable"
unset STATICTRAMP_ASM

say "wasm32-wasip1, run by node's WASI"
target=wasm32-wasip1
fetch add_target $target
for profile in dev release; do
    cargo build --quiet --target $target --profile $profile --manifest-path $program/Cargo.toml --target-dir "$out"
    directory=${profile/dev/debug}
    works "64 slots; this build for the target $target has no stubs, so static chains cannot be passed; closures can still be bound" \
        node --no-warnings $program/run.mjs "$out/$target/$directory/statictramp-portable.wasm"
done
said=$(cargo check --quiet -p statictramp-archive --target $target --target-dir "$out" 2>&1) && fail "libstatictramp was built for $target, which has no stubs"
grep -q "^error: libstatictramp needs stubs, and this build for the target $target has none" <<<"$said" || fail "$said"

say "a crate that depends on this one, on any target"
for triple in wasm32-unknown-unknown powerpc64-unknown-linux-gnu aarch64-apple-darwin i686-pc-windows-gnu; do
    # The section above runs the code of WebAssembly.
    [ $triple != wasm32-unknown-unknown ] || [ "$effort" -ge 100 ] || continue
    core=-Zbuild-std=core,alloc
    [ $triple != aarch64-apple-darwin ] || core= # the macos leg builds it, too
    target=$out/std cross_cargo $triple check $core -p statictramp --no-default-features --features alloc,grow
    echo "$triple: builds"
done
said=$(target=$out/std cross_cargo "$triple" check -Zbuild-std=core,alloc -p statictramp-raw 2>&1) && fail "statictramp-raw was built for $triple, which has no stubs"
grep -q "statictramp-raw needs stubs, and this build for the target $triple has none; docs/targets.md lists" <<<"$said" || fail "$said"
said=$(target=$out/std cross_cargo "$triple" check -Zbuild-std=core,alloc -p statictramp-archive 2>&1) && fail "libstatictramp was built for $triple, which has no stubs"
grep -q "^error: libstatictramp needs stubs, and this build for the target $triple has none" <<<"$said" || fail "$said"
said=$(CARGO_BUILD_TARGET=$triple capi/install.sh "$out/prefix" 2>&1) && fail "libstatictramp was installed for $triple, which it does not support"
grep -q "cannot install for $triple: on Windows, only x86_64-pc-windows-gnu is supported" <<<"$said" || fail "$said"

say "without a C compiler: rustc's assembler is the default"
# This PATH contains only cargo and rustc; the linker for the programs is named by its path.
no_cc=$out/no-cc
rm -rf "$no_cc"
mkdir -p "$no_cc/bin"
sysroot=$(rustc --print sysroot)
for tool in cargo rustc; do ln -s "$sysroot/bin/$tool" "$no_cc/bin"; done
ln -s "$(command -v ld)" "$no_cc/bin/ld"
in_that_path() {
    env -u CC -u AR PATH="$no_cc/bin" CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER="$(command -v gcc)" CARGO_TARGET_DIR="$no_cc" \
        "$@"
}
for tool in cc gcc clang as ar; do
    [ -z "$(PATH=$no_cc/bin command -v $tool || true)" ] || fail "the restricted PATH contains $tool"
done
in_that_path cargo check --quiet -p statictramp
in_that_path cargo build --quiet --manifest-path $program/Cargo.toml
works "1024 slots; static chains are passed" "$no_cc/debug/statictramp-portable"
said=$(STATICTRAMP_ASM=cc in_that_path cargo check --quiet -p statictramp 2>&1) && fail "the build accepted STATICTRAMP_ASM=cc without a C compiler"
[ "$(grep -c '^error: statictramp@' <<<"$said")" = 1 ] || fail "the build printed more than one error: $said"
grep -q '^error: statictramp@.*: STATICTRAMP_ASM is "cc", but there is no .* for x86_64-unknown-linux-gnu: install a C compiler' <<<"$said" || fail "$said"
