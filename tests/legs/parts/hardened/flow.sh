# Tests control-flow integrity: landing pads, the notes that promise them, and clang's checks of indirect calls to a stub. Sourced
# by the leg hardened.
# shellcheck disable=SC2086 # $emulator: several words

flow=tests/programs/hardened/flow.c

say "x86-64: landing pads and a shadow stack (IBT, SHSTK)"
features() { readelf -nW "$1" | sed -n 's/.*feature: //p' | sort -u; }
for compiler in gcc clang-19 clang-22; do
    for linker in bfd lld; do
        [ "$compiler-$linker" != gcc-lld ] || continue
        $compiler -O2 -Wall -fcf-protection=full -fno-builtin -nostdlib -static -fuse-ld=$linker -Icapi/include $flow "$library/libstatictramp.a" -o "$out/flow"
        [ "$(features "$out/flow")" = "IBT, SHSTK" ] || fail "$compiler, $linker: the program's note lists \"$(features "$out/flow")\", expected \"IBT, SHSTK\""
        "$out/flow" || fail "$compiler, $linker: flow.c: exit status $?, expected 0"
    done
done
echo "if all objects of a program promise both, the program keeps its note, with GNU ld and lld"
# Neither a processor here nor QEMU enforces landing pads, so every address that a jump may reach is inspected.
need_test_tools
"$test_tools" landing-pads "$library/libstatictramp.so.0"
without=$PWD/$(build_capi STATICTRAMP_LANDING_PADS=0)
[ "$(features "$without/libstatictramp.a")" = SHSTK ] || fail "without landing pads, the archive's note lists \"$(features "$without/libstatictramp.a")\", expected \"SHSTK\""
"$test_tools" landing-pads "$without/libstatictramp.so.0" >/dev/null 2>&1 && fail "landing-pads reports no error for code without landing pads, so this test proves nothing"
echo "control: without landing pads the note does not promise them, and the script finds stubs that have none"

source tests/legs/parts/machines.sh
machine aarch64
say "AArch64: landing pads and signed return addresses (BTI, PAC), enforced by QEMU"
export CC_aarch64_unknown_linux_gnu="aarch64-linux-gnu-gcc -mbranch-protection=standard"
# bti_library PREFIX VARIABLE=VALUE...: installs a library that promises BTI and PAC.
bti_library() {
    env RUSTC="$cross_rust" RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zbranch-protection=bti,pac-ret CARGO_BUILD_TARGET=aarch64-unknown-linux-gnu \
        CARGO_TARGET_DIR=target/cross-bti "${@:2}" capi/install.sh "$1" -Zbuild-std=core,compiler_builtins >/dev/null
}
installed=target/prefix-bti/lib
bti_library "$PWD/target/prefix-bti"
for archive in "$installed/libstatictramp.a" target/cross-bti/aarch64-unknown-linux-gnu/release/libstatictramp_capi.a; do
    aarch64-linux-gnu-gcc -mbranch-protection=standard -O2 -Wall -fno-builtin -nostdlib -static -Icapi/include $flow "$archive" -o "$out/flow-aarch64"
    [ "$(features "$out/flow-aarch64")" = "BTI, PAC" ] || fail "${archive##*/}: the program's note lists \"$(features "$out/flow-aarch64")\", expected \"BTI, PAC\""
    $emulator "$out/flow-aarch64" || fail "${archive##*/}: flow.c: exit status $?, expected 0"
    echo "${archive##*/}: the program keeps its note, and every jump lands on a landing pad"
done
aarch64-linux-gnu-gcc -mbranch-protection=standard -DCONTROL -O2 -Wall -fno-builtin -nostdlib -static -Icapi/include $flow "$archive" -o "$out/flow-control"
status=0
"$restrict" -- $emulator "$out/flow-control" 2>/dev/null || status=$? # it prints no message about signals
[ $status = 132 ] || fail "a jump to an address without a landing pad: exit status $status, expected 132 (SIGILL); perhaps QEMU does not enforce landing pads"
echo "control: a jump to an address without a landing pad is SIGILL"

say "clang's checks of indirect calls"
# call COUNT: creates COUNT trampolines and calls each from the function `apply`.
cfi=tests/programs/hardened/cfi.c
printf '[cfi-icall]\nfun:apply\n[kcfi]\nfun:apply\n' >"$out/apply.list"
# ends STATUS WHAT COMMAND...
ends() {
    local wanted=$1 what=$2 status=0
    shift 2
    "$restrict" -- "$@" >"$out/said" 2>&1 || status=$?
    [ $status = "$wanted" ] || fail "$what: exit status $status, expected $wanted: $(cat "$out/said")"
    printf '%-60s %s\n' "$what" "$([ "$wanted" = 0 ] && echo runs || echo "ends with $wanted")"
}
for version in 19 22; do
    # The compiler's own list of exceptions is in a package that no other test here needs.
    clang="clang-$version -O2 -Wall -fuse-ld=lld -fno-sanitize-ignorelist -Icapi/include $cfi"
    icall="-flto=thin -fvisibility=hidden -fsanitize=cfi-icall"
    for check in "$icall" -fsanitize=kcfi; do
        # shellcheck disable=SC2086 # several words
        {
            $clang $check "$library/libstatictramp.a" -o "$out/cfi"
            $clang $check -fsanitize-ignorelist="$out/apply.list" "$library/libstatictramp.a" -o "$out/cfi-list"
            $clang $check -DEXEMPT "$library/libstatictramp.a" -o "$out/cfi-exempt"
        }
        name=${check##*=}
        ends 132 "clang $version, $name: a call through a trampoline" "$out/cfi" 1
        ends 0 "clang $version, $name: the same call from a function on an ignorelist" "$out/cfi-list" 2000
        ends 0 "clang $version, $name: the same call from a function with no_sanitize" "$out/cfi-exempt" 2000
        ends 132 "clang $version, $name: another invalid call from such a function" "$out/cfi-exempt" bad
    done
done
# shellcheck disable=SC2086 # several words
clang-19 -O2 -Wall -fuse-ld=lld -fno-sanitize-ignorelist -Icapi/include $cfi $icall -fsanitize-cfi-cross-dso \
    -L"$out" -lstatictramp -Wl,-rpath,"$out" -o "$out/cfi-shared"
ends 0 "clang 19, cfi-icall across libraries, the shared library" "$out/cfi-shared" 1024
ends 132 "clang 19, the same, a trampoline in an added segment" "$out/cfi-shared" 1025
