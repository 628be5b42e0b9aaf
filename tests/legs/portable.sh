# Targets without stubs: compiler-generated functions, here and in WebAssembly. Then Android and FreeBSD: shared libraries are
# linked, and crates and archives built for these systems run in programs for Linux. Finally, the stubs without a C compiler.
# Installs: Node.js, lld, clang, GCC for i686 and AArch64, QEMU; zig from PyPI; Rust for WebAssembly, Android and FreeBSD.
# Takes: 3 minutes.

need node=nodejs wasm-ld-19=lld-19 clang-19=clang-19 clang-22=clang-22 ld.lld-19=lld-19 llvm-objcopy-19=llvm-19 llvm-objdump-22=llvm-22 aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu \
    /usr/aarch64-linux-gnu/lib/crt1.o=libc6-dev-arm64-cross qemu-aarch64-static=qemu-user-static
need_cross_rust
need_wheel ziglang==0.17.1 ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54

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
for triple in wasm32-unknown-unknown powerpc64-unknown-linux-gnu aarch64-apple-darwin aarch64-pc-windows-msvc i686-pc-windows-gnu; do
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

cargo build --quiet --release --locked -p statictramp-cli
new_package "$out/with-std" with-std
printf '%s\n' "statictramp = { path = \"$PWD\" }" "statictramp-raw = { path = \"$PWD/raw\" }" '[lib]' 'crate-type = ["cdylib"]' >>"$out/with-std/Cargo.toml"
cat >"$out/with-std/src/lib.rs" <<'END'
use std::thread;

#[unsafe(no_mangle)]
extern "C" fn sum(base: i32) -> i32 {
    let add = move |x: i32| base + x;
    let callback = statictramp::bind(&add).unwrap();
    let f = callback.as_fn();
    let nothing = |_: &mut statictramp_raw::Call<'_>| {};
    let raw = statictramp_raw::bind(&nothing);
    println!("{} of {}, {}", statictramp::live(), statictramp::capacity(), raw.is_ok());
    // SAFETY: the guard outlives the call.
    thread::scope(|scope| scope.spawn(move || unsafe { f(1) }).join().unwrap())
}
END
# Android's libraries are not at hand, so the names that they define stay undefined. zig has FreeBSD's, except those that std
# names but does not use. zig has its own names for targets, and rejects -z text, which is its default.
mkdir -p "$out/none"
for library in c dl log m unwind; do printf '!<arch>\n' >"$out/none/lib$library.a"; done
export ZIG_GLOBAL_CACHE_DIR=$out/zig
printf '%s\n' '#!/bin/bash' 'words=()' \
    'for word; do case $word in -m64 | --target=* | -lkvm | -lmemstat | -lprocstat | -ldevstat | -Wl,-z,text) ;; *) words+=("$word") ;; esac; done' \
    "exec $wheels/python -m ziglang cc -target x86_64-freebsd -Wl,-z,defs \"\${words[@]}\"" >"$out/zig-cc"
chmod +x "$out/zig-cc"
for triple in aarch64-linux-android x86_64-linux-android x86_64-unknown-freebsd; do
    say "$triple: a linked library with std"
    fetch add_target $triple
    linked=(--config "target.$triple.linker='ld.lld-19'" --config "target.$triple.rustflags=['-Clinker-flavor=ld.lld', '-L$out/none', '-Clink-args=--pack-dyn-relocs=android+relr -z text']")
    [ $triple != x86_64-unknown-freebsd ] || linked=(--config "target.$triple.linker='$out/zig-cc'")
    cargo build --quiet --release --target $triple "${linked[@]}" --manifest-path "$out/with-std/Cargo.toml" --target-dir "$out"
    library=$out/$triple/release/libwith_std.so
    said=$(target/release/statictramp audit --all "$library")
    grep -q 'intact: 1024 stubs, each of which reads only its own slot' <<<"$said" || fail "$said"
    # Android's loader rejects text relocations. Thread-local storage in a static block is scarce or missing there.
    said=$(readelf -dW "$library")
    grep -q SONAME\\\|NEEDED\\\|RELA <<<"$said" || fail "readelf prints no dynamic section: $said"
    ! grep -E 'TEXTREL|STATIC_TLS' <<<"$said" || fail "$library has text relocations or static thread-local storage"
    # x18 is reserved for the shadow call stack.
    [ $triple != aarch64-linux-android ] || ! llvm-objdump-22 -d "$library" | grep '\b[xw]18\b' || fail "$library uses x18, which Android reserves"

    say "$triple: closures and raw closures without std, in a program for Linux"
    cargo build --quiet --release --locked --target $triple --manifest-path tests/programs/macos/Cargo.toml --target-dir "$out"
    runner=() gcc=gcc
    [ $triple != aarch64-linux-android ] || runner=(qemu-aarch64-static) gcc=aarch64-linux-gnu-gcc
    clang-19 --target=$triple -O1 -ffreestanding -fPIC -c tests/programs/macos/callers.c -o "$out/callers.o"
    $gcc -static tests/programs/portable/main.c "$out/callers.o" "$out/$triple/release/libstatictramp_macos.a" -o "$out/main"
    for function in closures table raw; do
        said=$("${runner[@]}" "$out/main" $function)
        [ "$said" = 0 ] || fail "$triple, $function: the check at line $said of tests/programs/macos/src/lib.rs failed"
    done
    ends_with dead_call '^statictramp: call through a freed trampoline: slot [0-9]*, former callee 0x' "${runner[@]}" "$out/main"
    for function in write_stub run_stack; do
        ! said=$("${runner[@]}" "$out/main" $function 2>/dev/null) && [ -z "$said" ] || fail "$triple, $function: expected a fault, but it printed \"$said\""
    done

    say "$triple: the installed C library, in a program for Linux"
    prefix=$out/prefix-$triple compiler=(clang-22 "--target=$triple" -O1 -fPIC)
    rm -rf "$prefix"
    [ $triple = x86_64-unknown-freebsd ] && cc=$out/zig-cc || cc="clang-22 --target=$triple"
    CC=$cc LD=ld.lld-19 CARGO_BUILD_TARGET=$triple CARGO_TARGET_DIR=$out capi/install.sh "$prefix" >/dev/null
    [ $triple != aarch64-linux-android ] || ! llvm-objdump-22 -d "$prefix/lib/libstatictramp.a" | grep '\b[xw]18\b' || fail "the archive uses x18, which Android reserves"
    said=$(llvm-nm-22 -u "$prefix/lib/libstatictramp.a" | awk '/^ *U/ && $2 !~ /^_*statictramp_|^_ZN/ { print $2 }' | sort -u | xargs)
    echo "$triple: the archive calls $said"
    "${compiler[@]}" -w -c tests/programs/cross/nest.ll -o "$out/nest.o"
    "${compiler[@]}" -ffreestanding "-I$prefix/include" -c tests/programs/macos/library.c -o "$out/library.o"
    $gcc -static -DLIBRARY tests/programs/portable/main.c "$out/library.o" "$out/nest.o" "$prefix/lib/libstatictramp.a" -o "$out/main"
    for function in library raw raw_on_stack nested_functions_that_end; do
        said=$("${runner[@]}" "$out/main" $function)
        [ "$said" = 0 ] || fail "$triple, $function: the check at line $said of tests/programs/macos/library.c failed"
    done
    ends_with dead_call '^statictramp: call through a freed trampoline: slot [0-9]*, former callee 0x' "${runner[@]}" "$out/main"
    ends_with free_twice '^statictramp: cannot free 0x[0-9a-f]*: the trampoline is already dead$' "${runner[@]}" "$out/main"
    ends_with full '^statictramp: all 1024 trampolines are in use, and the table cannot grow: this copy was built without growth; build' "${runner[@]}" "$out/main"
    libraries=$(cd "$prefix/lib" && echo lib*.so.0)
    if [ $triple = x86_64-unknown-freebsd ]; then
        [ "$libraries" = "libstatictramp.so.0 libstatictramp_core.so.0 libstatictramp_runtime.so.0" ] || fail "the shared libraries for $triple are $libraries"
        target/release/statictramp audit --all "$prefix"/lib/libstatictramp{,_core}.so.0 >"$out/said" || fail "$(cat "$out/said")"
        [ "$(grep -c 'intact: 1024 stubs' "$out/said")" = 2 ] || fail "$(cat "$out/said")"
        ! readelf -dW "$prefix"/lib/lib*.so.0 | grep TEXTREL || fail "a shared library for $triple has text relocations"
        "$out/zig-cc" "-I$prefix/include" capi/tests/programs/install/program.c "-L$prefix/lib" -lstatictramp -o "$out/linked"
        readelf -dW "$out/linked" | grep -q 'NEEDED.*libstatictramp_core.so.0' || fail "the program for $triple does not need libstatictramp_core.so.0"
    else
        [ "$libraries" = 'lib*.so.0' ] || fail "there are shared libraries for $triple: $libraries"
    fi
done

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
