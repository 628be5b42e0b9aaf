# x86-64 Windows: made by mingw, run under Wine. Closures by every way of the adapters, the C library, what compilers call.

need_debian_rust
need x86_64-w64-mingw32-gcc=gcc-mingw-w64-x86-64 wine=wine /usr/lib/wine/wine64=wine64

triple=x86_64-pc-windows-gnu
out=$PWD/target/windows
mkdir -p "$out"
export WINEPREFIX=$out/wine WINEDEBUG=-all CARGO_PROFILE_DEV_DEBUG=false CC_x86_64_pc_windows_gnu=x86_64-w64-mingw32-gcc
target=$out/cargo
# What these programs are built with has no std: core and alloc are enough, and are built once.
no_std=-Zbuild-std=core,alloc,compiler_builtins

# compile COMPILER OUTPUT WORD...: a program or DLL. An image of 64 bits has no relocations of 32: of those GNU ld makes some
# where none belong, and the loader would spoil what is there.
compile() {
    "$1" -Wall -Wextra -Icapi/include "${@:3}" -o "$2"
    ! x86_64-w64-mingw32-objdump -p "$2" | grep HIGHLOW >&2 || fail "$2: relocations of 32 bits"
}
gcc=x86_64-w64-mingw32-gcc programs=tests/programs/windows

# program NAME: a package with the Rust program of that name, as an archive.
program() {
    new_package "$out/$1" "windows-$1"
    cat >>"$out/$1/Cargo.toml" <<END
statictramp = { path = "$PWD", default-features = false }
[lib]
crate-type = ["staticlib"]
[profile.dev]
panic = "abort"
END
    cp "$programs/$1.rs" "$out/$1/src/lib.rs"
    debian_cargo $triple build $no_std --manifest-path "$out/$1/Cargo.toml"
}

say "closures by every way of the adapters"
for assembler in cc rust; do
    STATICTRAMP_ASM=$assembler program closures
    compile $gcc "$out/closures.exe" $programs/closures.c "$target/$triple/debug/libwindows_closures.a"
    said=$(wine "$out/closures.exe" | tr -d '\r')
    [ "$said" = "120 closures were called" ] || fail "by $assembler: $said"
    echo "by $assembler: $said"
done

say "the core's tests"
core=$out/core
rm -rf "$core"
copy_core "$core"
mkdir -p "$core/tests" "$core/cli/src/audit"
cp -a tests/common tests/closures* tests/layout* tests/threads.rs tests/trampolines.rs "$core/tests"
cp -a cli/src/audit/stub.rs "$core/cli/src/audit" # how tests/layout.rs decodes stubs
# Wine 8 lacks the library that std takes its random numbers from.
compile $gcc "$out/bcryptprimitives.dll" -shared $programs/bcryptprimitives.c -ladvapi32
(
    export WINEPATH="Z:${out//\//\\}" CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine \
        PROPTEST_CASES STATICTRAMP_OPERATIONS
    PROPTEST_CASES=$(share 256) STATICTRAMP_OPERATIONS=$(share 200000)
    debian_cargo $triple test --manifest-path "$core/Cargo.toml" --features grow --tests
)

say "the C library"
STATICTRAMP_SLOTS=64 CARGO_PROFILE_DEV_PANIC=abort debian_cargo $triple build $no_std -p statictramp-capi
for level in -O0 -O2; do
    compile $gcc "$out/library.exe" $level $programs/library.c "$target/$triple/debug/libstatictramp_capi.a"
    timeout 300 wine "$out/library.exe"
done
# Of two DLLs that are linked for the same address one is relocated.
compile $gcc "$out/copies.exe" -municode $programs/copies.c
compile $gcc "$out/copy.dll" -shared $programs/copy.c "$target/$triple/debug/libstatictramp_capi.a"
cp "$out/copy.dll" "$out/another copy.dll"
timeout 300 wine "$out/copies.exe" "$out/copy.dll" "$out/another copy.dll"
