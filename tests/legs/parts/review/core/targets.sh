# Every target that rustc knows either has stubs and is listed in docs/targets.md, or has compiler-generated functions
# instead. Sourced by tests/legs/parts/review/core.sh.

say "targets: with stubs and listed, or with functions in place of stubs"
cargo build --quiet -p statictramp
script=$(ls -t target/debug/build/statictramp-????????????????/build-script-build | head -n 1)
mkdir -p "$out"/target
documented=$(grep '^|' docs/targets.md | grep -o '`[a-z0-9_.]*-[a-z0-9_.-]*`' | tr -d '`' | grep -v '^--' | sort)
known=$(rustc --print target-list)

# as_target NAME SETTING...: prints the build script's output for a target with these settings, which are passed in cargo's
# variables.
as_target() {
    env -i PATH="$PATH" CARGO_MANIFEST_DIR="$PWD" OUT_DIR="$PWD/$out/target" CARGO_PKG_VERSION_MAJOR=0 \
        CARGO_PKG_VERSION_MINOR=1 STATICTRAMP_ASM=rust TARGET="$1" "${@:2}" "$script"
}
# has_stubs NAME SETTING...: succeeds if the script gives the target stubs, and not functions in their place.
has_stubs() {
    local said
    said=$(as_target "$@") || fail "the build script rejects the target $1: $said"
    ! grep -q 'cargo::\?rustc-cfg=portable' <<<"$said"
}
# settings NAME: prints the settings of a rustc target.
settings() {
    rustc --print cfg --target "$1" 2>/dev/null |
        sed -nE 's/^target_(arch|os|env|abi|endian|pointer_width)="(.*)"$/CARGO_CFG_TARGET_\U\1\E=\2/p'
}
accepted=()
for triple in $known; do
    mapfile -t set < <(settings "$triple")
    ! has_stubs "$triple" "${set[@]}" || accepted+=("$triple")
done
listed=$(comm -12 <(echo "$documented") <(sort <<<"$known"))
difference=$(diff <(echo "$listed") <(printf '%s\n' "${accepted[@]}" | sort)) ||
    fail "the build (>) and docs/targets.md (<) list different targets with stubs: $difference"
echo "${#accepted[@]} targets of $(wc -w <<<"$known") have stubs and are listed; the others have functions in their place"

# A file may describe any target, so the target's own settings decide.
mapfile -t set < <(settings armv7-unknown-linux-gnueabihf)
has_stubs armv7-mine-linux-gnueabihf "${set[@]}" || fail "a custom target with the settings of armv7 has no stubs"
! has_stubs mine "${set[@]}" || fail "an Arm target with an unknown instruction set has stubs"
mapfile -t set < <(settings x86_64-unknown-linux-gnu)
has_stubs mine "${set[@]}" || fail "a custom target with the settings of x86-64 has no stubs"
for wrong in CARGO_CFG_TARGET_POINTER_WIDTH=32 CARGO_CFG_TARGET_ENDIAN=big CARGO_CFG_TARGET_ENV=uclibc; do
    ! has_stubs x86_64-unknown-linux-gnu "${set[@]}" $wrong || fail "a target with $wrong has stubs"
done
echo "custom targets: by their own settings"

need_cross_rust
listed_for_build=$(grep -v -- '-gnuasan' <<<"$listed" | shuf -n "$(share 20)" --random-source=<(yes "$effort"))
for triple in $listed_for_build; do
    STATICTRAMP_ASM=rust STATICTRAMP_SLOTS=64 target=target/own-core cross_cargo "$triple" build -Zbuild-std=core -p statictramp --lib \
        --no-default-features --features grow
    echo "$triple: built"
done

say "A32 stubs, and Rust code in Thumb state"
said=$(RUSTFLAGS="-Ctarget-feature=+thumb-mode" STATICTRAMP_ASM=rust STATICTRAMP_SLOTS=64 target=target/review-thumb \
    cross_cargo armv7-unknown-linux-gnueabihf build -p statictramp --lib --no-default-features 2>&1) &&
    fail "the build accepted the target feature thumb-mode"
grep -m 1 -o "statictramp: this target's stubs are A32 code, and Rust's code is Thumb; leave thumb-mode out" <<<"$said" ||
    fail "the build rejected the target feature thumb-mode with a different error: $said"
