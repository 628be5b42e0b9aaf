# The concurrency models, in every order the memory model allows up to a number of preemptions.

preemptions=3
[ "$effort" -ge 100 ] || preemptions=2
LOOM_MAX_PREEMPTIONS=$preemptions RUSTFLAGS="--cfg loom" \
    cargo test --quiet --release --lib --target-dir target/loom
