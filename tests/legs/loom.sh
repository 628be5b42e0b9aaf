# Runs the concurrency models in every order that the memory model allows, up to a number of preemptions.
# Installs: spin, gcc.
# Takes: 2 minutes.

need spin=spin gcc=gcc
preemptions=3
[ "$effort" -ge 100 ] || preemptions=2
rm -rf target/loom/core
copy_core target/loom/core interop flang/capture-rules
# in_loom COMMAND ARGUMENT...: runs a command of cargo on the copy. Loom unwinds the stacks of threads.
in_loom() {
    CARGO_PROFILE_RELEASE_PANIC=unwind LOOM_MAX_PREEMPTIONS=$preemptions RUSTFLAGS="--cfg loom" \
        cargo "$1" --quiet --release --offline --manifest-path target/loom/core/Cargo.toml --target-dir target/loom "${@:2}"
}
say "models of the library"
in_loom test --lib --workspace

say "examples/model.rs, a program's own model"
mkdir -p target/loom/core/examples
cp examples/model.rs target/loom/core/examples
sed 's/while self.0.load(Ordering::Acquire) != CLOSED/while false/' examples/model.rs >target/loom/core/examples/early.rs
in_loom run --example model
said=$(in_loom run --example early 2>&1) && fail "the model passes although the program drops its callback too early, so this test proves nothing"
grep -q 'a call came after the registry was closed\|statictramp: ' <<<"$said" || fail "the model of a program that drops its callback too early fails for a different reason: $said"

# Checks for errors that loom cannot find, because its exchanges always see the latest store.
say "a slot that is claimed before its opening has arrived, in spin"
mkdir -p target/spin
# errors_with OPTION...: prints the number of errors that spin finds.
errors_with() { (cd target/spin && spin "$@" -run ../../tests/proofs/opening.pml) | sed -n 's/.*errors: //p'; }
[ "$(errors_with -DCHECKED)" = 0 ] || fail "tests/proofs/opening.pml: the model fails although it contains the check"
[ "$(errors_with)" = 1 ] || fail "tests/proofs/opening.pml: the model passes without the check, so this test proves nothing"
echo "excluded by the check, found without it"
