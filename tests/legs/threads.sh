# Eight real threads, ten million operations each, natively and under ThreadSanitizer. A short run takes less than its share.

export STATICTRAMP_OPERATIONS
STATICTRAMP_OPERATIONS=$(share $((effort < 100 ? 4000000 : 10000000)))

say "$STATICTRAMP_OPERATIONS operations in each thread"
cargo test --quiet --release --test threads --test fibers
say "the same with strict reuse and a small table"
STATICTRAMP_REUSE=strict STATICTRAMP_SLOTS=200 cargo test --quiet --release --target-dir target/variants --test threads

# A sanitizer comes with rustc, but only a compiler that takes -Z flags may use it. Rust's own library and the
# test harness are not instrumented, so what they do among themselves looks like races.
say "the same under ThreadSanitizer"
printf 'race:std::sync::mpmc\nrace:test::\n' >target/tsan.suppressions
TSAN_OPTIONS="suppressions=$PWD/target/tsan.suppressions" RUSTC_BOOTSTRAP=1 \
    RUSTFLAGS="-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer" \
    cargo test --quiet --release --target x86_64-unknown-linux-gnu --target-dir target/tsan --test threads -- --test-threads=1

# Areas of a table stay until the process ends.
say "the same, and the pool's own tests, under AddressSanitizer"
ASAN_OPTIONS=detect_leaks=0 RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address" PROPTEST_CASES=$(share 32) STATICTRAMP_OPERATIONS=$(share 1000000) \
    cargo test --quiet --release --target x86_64-unknown-linux-gnu --target-dir target/asan --features grow \
    --lib --test threads --test trampolines
