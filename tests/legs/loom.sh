# Runs the concurrency models in every order that the memory model allows, up to a number of preemptions.
# Installs: spin, gcc.
# Takes: 2 minutes.

need spin=spin gcc=gcc
preemptions=3
[ "$effort" -ge 100 ] || preemptions=2
rm -rf target/loom/core
copy_core target/loom/core interop flang/capture-rules
LOOM_MAX_PREEMPTIONS=$preemptions RUSTFLAGS="--cfg loom" \
    cargo test --quiet --release --offline --lib --workspace --manifest-path target/loom/core/Cargo.toml --target-dir target/loom

# The check for errors that loom cannot find, because its exchanges always see the latest store.
say "a slot that is claimed before its opening has arrived, in spin"
mkdir -p target/spin
# errors_with OPTION...: prints the number of errors that spin finds.
errors_with() { (cd target/spin && spin "$@" -run ../../tests/proofs/opening.pml) | sed -n 's/.*errors: //p'; }
[ "$(errors_with -DCHECKED)" = 0 ] || fail "tests/proofs/opening.pml: the model fails although it contains the check"
[ "$(errors_with)" = 1 ] || fail "tests/proofs/opening.pml: the model passes without the check, so it proves nothing"
echo "excluded by the check, found without it"
