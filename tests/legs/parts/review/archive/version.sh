# Tests that the linker script checks the version with which it is installed. The assertions of a later version must work, too.
# Sourced by archive.sh.
# shellcheck disable=SC2086 # $later: several words, or none

later=$out/later
mkdir -p $later
cp -r ARCHITECTURE.md Cargo.toml Cargo.lock build.rs README.md CHANGELOG.md LICENSE-* asm benches capi cli docs examples flang interop linker packaging raw src targets tests $later
mapfile -t manifests < <(grep -rl '"=\?0\.1\.0"' $later --include Cargo.toml)
raise_version 0.2.0 "${manifests[@]}"
CARGO_TARGET_DIR=target/later $later/capi/install.sh "$PWD/$out/later-prefix" --offline >/dev/null
printf 'SECTIONS { .taken : { *(.tramp_data) } } INSERT AFTER .bss;\n' >"$out"/taken.ld
printf '#include "statictramp.h"\nint main(void) { return (int)statictramp_live(); }\n' >"$out"/live.c
for version in 0_1 0_2; do
    case $version in 0_1) place=$library/.. ;; 0_2) place=$out/later-prefix ;; esac
    script=$place/share/statictramp/statictramp.ld
    for linker in bfd lld; do
        for wrong in WRONG_SLOTS WRONG_STUBS WRONG_PLACE; do
            said=$(clang-19 -fuse-ld=$linker -DVERSION=c_$version -D$wrong capi/tests/programs/c/asserted.S "-Wl,-T,$script" -o "$out"/asserted 2>&1) && fail "$version: $linker accepts $wrong"
            grep -q '(statictramp):' <<<"$said" || fail "$version, $linker, $wrong: $said"
        done
        # A program without the library, and a program that uses it.
        printf 'int main(void) { return 0; }\n' >"$out"/empty.c
        clang-19 -fuse-ld=$linker "$out"/empty.c "$place/lib/libstatictramp.a" "-Wl,-T,$script" -o "$out"/empty && "$out"/empty
        # The library itself, whose slots another script has placed.
        clang-19 -fuse-ld=$linker "-I$place/include" "$out"/live.c "$place/lib/libstatictramp.a" "-Wl,-T,$script" -o "$out"/live && "$out"/live
        said=$(clang-19 -fuse-ld=$linker "-I$place/include" "$out"/live.c "$place/lib/libstatictramp.a" "-Wl,-T,$out/taken.ld,-T,$script" -o "$out"/live 2>&1) &&
            fail "$version, $linker: the linker accepts another script that takes the slots' section"
        grep -q 'another linker script has taken' <<<"$said" || fail "$version, $linker: $said"
    done
done
# The negative control: the script of one version does not detect the error in another version.
clang-19 -fuse-ld=bfd -DVERSION=c_0_2 -DWRONG_SLOTS capi/tests/programs/c/asserted.S "-Wl,-T,$(linker_script "$library")" -o "$out"/asserted 2>/dev/null ||
    fail "the script of 0.1 also applies to 0.2, so this test proves nothing"
echo "the linker script's assertions work for 0.1 and for 0.2"
