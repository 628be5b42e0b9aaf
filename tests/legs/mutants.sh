# Weakens each ordering and removes each operation listed in tests/proofs/mutants.txt, one at a time, in a copy of the
# sources. For each mutant, at least one model must fail or, if only the order of reuse is affected, at least one unit
# test. The mutants that survive are listed with the reason in tests/proofs/survivors.txt, and must still survive. A
# short run tries every sixtieth mutant, and none that survives, because for such a mutant, every model runs through all orders.
# STATICTRAMP_MUTANTS specifies another list.
# Installs: nothing.
# Takes: 4 minutes.

need_test_tools # with the profile of the other legs

# The profile is configured for frequent builds, so that only the code that a mutant changes is compiled again.
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=64 CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_INCREMENTAL=1

unchanged=$PWD/target/mutants/unchanged
rm -rf "$unchanged"
copy_core "$unchanged" interop flang/capture-rules
cargo fetch --quiet

# build_tests KIND FILE: builds the models or the unit tests of this worker's copy, and sets `binary` to their program. If FILE has its
# own models, `some` names them. It is an error if a copy does not compile.
build_tests() {
    local flags='' log=$copy.log package=statictramp
    some=()
    [ "$1" = models ] && flags="--cfg loom"
    case ${2-} in
    src/pool/bare.rs | src/sync/exchange.rs | src/sync/section.rs) some=(bare) ;;
    src/sync/rooms.rs) some=(rooms) ;;
    interop/*) package=statictramp-interop ;;
    esac
    if ! RUSTFLAGS="$flags -Awarnings" cargo test --release --lib --no-run --offline -p "$package" \
        --manifest-path "$copy/Cargo.toml" --target-dir "$copy.$1" >"$log" 2>&1; then
        cat "$log"
        fail "the tests of $package do not compile"
    fi
    binary=$PWD/$(sed -n 's/^ *Executable .*(\(.*\))$/\1/p' "$log")
    [ -f "$binary" ] || fail "cargo did not print the path of the test executable"
}
# noticed_by KIND FILE: succeeds if the models or the unit tests fail on this worker's copy. If FILE has its own models, only
# these are run.
noticed_by() {
    local log=$copy.log some binary
    build_tests "$@"
    # Most mutants are noticed with few preemptions, which means a tenth of the orders.
    if [ "$1" = models ]; then
        ! passes 1 || ! passes 3
    else
        ! passes 0
    fi
}
# passes PREEMPTIONS: succeeds if the tests that noticed_by has built pass. The first failure decides, but the test harness has no
# stable option yet to stop there.
passes() {
    local log=$copy.log
    # The limit applies to processor time, so that other load on the machine has no effect.
    (ulimit -t $((120 + 60 * $1)) && cd "$copy" && LOOM_MAX_PREEMPTIONS=$1 RUSTC_BOOTSTRAP=1 RUST_BACKTRACE=0 PROPTEST_CASES=32 timeout 1200 \
        "$binary" --quiet -Zunstable-options --fail-fast "${some[@]}") >"$log" 2>&1
}

# The mutants that this run tries, and for which tests and packages.
mapfile -t mutants < <(grep -v '^#\|^$' "${STATICTRAMP_MUTANTS:-tests/proofs/mutants.txt}")
tried=()
declare -A needed=()
for number in "${!mutants[@]}"; do
    mutant=${mutants[number]}
    [ "$effort" -ge 100 ] || { [ $(((number + 1) / 2 % 60)) = 0 ] && ! grep -qxF -- "$mutant" tests/proofs/survivors.txt; } || continue
    tried+=("$mutant")
    case $mutant in interop/*) needed[${mutant##*| } interop/src]=yes ;; *) needed[${mutant##*| } src]=yes ;; esac
done
[ ${#tried[@]} -gt 0 ] || fail "no mutant was tried"

# Without a mutant, every test must pass. A short run checks this without preemptions, and only for the tests that its mutants need: the
# legs loom and native run all of them.
# The dependencies of the two copies are built only once.
copy=$PWD/target/mutants/copy0
for kind in models units; do
    rm -rf "$copy" "${copy%0}1.$kind"
    cp -r "$unchanged" "$copy"
    for file in src interop/src; do
        if [ "$effort" -lt 100 ]; then
            [ -n "${needed[$kind $file]-}" ] || continue
            build_tests $kind $file
            passes 0
        else
            ! noticed_by $kind $file
        fi || { cat "$copy.log"; fail "the $kind of $file fail without a mutation"; }
    done
    [ ! -e "$copy.$kind" ] || cp -a --reflink=auto "$copy.$kind" "${copy%0}1.$kind"
done

# worker NUMBER: tries every second mutant.
worker() {
    local number entry change file kind killed=0 surprises=0 survivors=0
    copy=$PWD/target/mutants/copy$1
    rm -rf "$copy"
    cp -r "$unchanged" "$copy"
    for ((number = $1; number < ${#tried[@]}; number += 2)); do
        entry=${tried[number]}
        change=$("$test_tools" mutant "$unchanged" "$copy" "$entry") || fail "tests/proofs/mutants.txt is out of date"
        read -r file kind <<<"$change"
        # If a mutant survives, this is confirmed by a fresh build.
        if noticed_by "$kind" "$file" ||
            { ! grep -qxF -- "$entry" tests/proofs/survivors.txt && touch "$copy/$file" && noticed_by "$kind" "$file"; }; then
            killed=$((killed + 1))
            ! grep -qxF -- "$entry" tests/proofs/survivors.txt || { echo "a mutant is noticed, but is listed as a survivor: $entry"; surprises=$((surprises + 1)); }
        elif grep -qxF -- "$entry" tests/proofs/survivors.txt; then
            survivors=$((survivors + 1))
        else
            echo "survives: $entry"
            surprises=$((surprises + 1))
        fi
        cp "$unchanged/$file" "$copy/$file"
    done
    echo "$killed mutants noticed, $survivors survive for the reasons in tests/proofs/survivors.txt"
    [ $surprises = 0 ] || fail "$surprises mutants have an unexpected outcome"
}

worker 0 &
other=$!
worker 1
wait $other
echo "$((${#mutants[@]} - ${#tried[@]})) on the list were not tried"
