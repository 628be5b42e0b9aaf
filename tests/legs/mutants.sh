# Weakens each ordering and drops each operation of tests/mutants.txt, one at a time, in a copy of the sources:
# some model (or, where only the order of reuse is at stake, some unit test) must fail for each.
# Those that survive stand, with the reason, in tests/survivors.txt, and must go on surviving. STATICTRAMP_MUTANTS names
# another list.

# Built to be compiled often.
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=1

unchanged=$PWD/target/mutants/unchanged
rm -rf "$unchanged"
copy_core "$unchanged"
cargo fetch --quiet

# noticed_by KIND FILE: whether the models or the unit tests fail on this worker's copy, the models of what FILE is
# about, where that stands apart. A copy that does not compile is an error.
noticed_by() {
    local flags= log=$copy.log some=() binary
    [ "$1" = models ] && flags="--cfg loom"
    case ${2-} in
    src/compact.rs) some=(compact) ;;
    src/interop/offload/map.rs) some=(functions) ;;
    esac
    if ! RUSTFLAGS="$flags -Awarnings" cargo test --release --lib --no-run --offline \
        --manifest-path "$copy/Cargo.toml" --target-dir "$copy.$1" >"$log" 2>&1; then
        cat "$log"
        fail "a mutant does not compile"
    fi
    binary=$PWD/$(sed -n 's/^ *Executable .*(\(.*\))$/\1/p' "$log")
    [ -f "$binary" ] || fail "cargo does not say where the tests are"
    # The first test that fails decides; to stop there is not a stable option of the test harness yet.
    ! (cd "$copy" && LOOM_MAX_PREEMPTIONS=3 RUSTC_BOOTSTRAP=1 RUST_BACKTRACE=0 PROPTEST_CASES=32 timeout 120 \
        "$binary" --quiet -Zunstable-options --fail-fast "${some[@]}") >"$log" 2>&1
}

# worker NUMBER: every second mutant.
worker() {
    local entry number=0 killed=0 surprises=0 survivors=0
    copy=$PWD/target/mutants/copy$1
    rm -rf "$copy"
    cp -r "$unchanged" "$copy"
    # One of the two shows that all is well without.
    for kind in $([ "$1" = 0 ] && echo models units); do
        ! noticed_by $kind || { cat "$copy.log"; fail "the $kind fail without a mutant"; }
    done
    while IFS= read -r entry; do
        case $entry in '#'* | '') continue ;; esac
        number=$((number + 1))
        [ $((number % 2)) = "$1" ] || continue
        IFS=$'\t' read -r file old new kind < <(perl -e '
            my ($file, $old, $new, $kind) = map { s/^ //r =~ s/ $//r } split /(?<!\\)\|/, " $ARGV[0] ";
            s/\\\|/|/g for $old, $new;
            print join("\t", map { $_ eq "" ? "-" : $_ } $file, $old, $new, $kind), "\n"' "$entry")
        OLD=$old NEW=$new perl -0e '
            my ($old, $new) = map { s/\\n/\n/gr } $ENV{OLD}, $ENV{NEW} eq "-" ? "" : $ENV{NEW};
            open my $in, "<", $ARGV[0]; my $text = <$in>;
            my $count = () = $text =~ /\Q$old\E/g;
            die "tests/mutants.txt: \"$old\" stands $count times in $ARGV[0], not once\n" if $count != 1;
            $text =~ s/\Q$old\E/$new/;
            open my $out, ">", $ARGV[1]; print $out $text' "$unchanged/$file" "$copy/$file" || fail "the list of mutants is out of date"
        if noticed_by "$kind" "$file"; then
            killed=$((killed + 1))
            ! grep -qxF -- "$entry" tests/survivors.txt || { echo "dies, but stands among the survivors: $entry"; surprises=$((surprises + 1)); }
        elif grep -qxF -- "$entry" tests/survivors.txt; then
            survivors=$((survivors + 1))
        else
            echo "survives: $entry"
            surprises=$((surprises + 1))
        fi
        cp "$unchanged/$file" "$copy/$file"
    done <"${STATICTRAMP_MUTANTS:-tests/mutants.txt}"
    echo "$killed mutants noticed, $survivors survive for the reasons in tests/survivors.txt"
    [ $surprises = 0 ] || fail "$surprises mutants are not accounted for"
}

worker 0 &
other=$!
worker 1
wait $other
