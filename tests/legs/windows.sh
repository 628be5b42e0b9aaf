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
    cp "tests/programs/windows/$1.rs" "$out/$1/src/lib.rs"
    debian_cargo $triple build $no_std --manifest-path "$out/$1/Cargo.toml"
}

say "closures by every way of the adapters"
for assembler in cc rust; do
    STATICTRAMP_ASM=$assembler program closures
    x86_64-w64-mingw32-gcc -Wall -Wextra tests/programs/windows/closures.c "$target/$triple/debug/libwindows_closures.a" -o "$out/closures.exe"
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
x86_64-w64-mingw32-gcc -shared tests/programs/windows/bcryptprimitives.c -ladvapi32 -o "$out/bcryptprimitives.dll"
(
    export WINEPATH="Z:${out//\//\\}" CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine \
        PROPTEST_CASES STATICTRAMP_OPERATIONS
    PROPTEST_CASES=$(share 256) STATICTRAMP_OPERATIONS=$(share 200000)
    debian_cargo $triple test --manifest-path "$core/Cargo.toml" --features grow --tests
)

say "the C library"
STATICTRAMP_SLOTS=64 CARGO_PROFILE_DEV_PANIC=abort debian_cargo $triple build $no_std -p statictramp-capi
for level in -O0 -O2; do
    x86_64-w64-mingw32-gcc $level -Wall -Wextra -Icapi/include tests/programs/windows/library.c \
        "$target/$triple/debug/libstatictramp_capi.a" -o "$out/library.exe"
    timeout 300 wine "$out/library.exe"
done
