# Eight real threads, ten million operations each, natively and under ThreadSanitizer.
# Installs: nothing.
# Takes: 2 minutes.

# Without benches and link-time optimization, less must be compiled in each of four builds.
export STATICTRAMP_OPERATIONS CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
STATICTRAMP_OPERATIONS=$(share 10000000)
[ "$effort" -ge 100 ] || STATICTRAMP_OPERATIONS=$((STATICTRAMP_OPERATIONS / 2))
core=$PWD/target/threads/core
rm -rf "$core"
copy_core_tests "$core"
cp -a tests/fibers.rs "$core/tests"
# The integration tests that run here use no crates, except libc.
rm -rf "$core-integration"
cp -a "$core" "$core-integration"
sed -i '/^\(anyhow\|nix\|object\|proptest\) = /d' "$core-integration/Cargo.toml"
# tested DIRECTORY ARGUMENT...: runs tests of the copy in $sources, built in target/threads/DIRECTORY.
sources=$core-integration
tested() {
    cargo test --quiet --release --offline --manifest-path "$sources/Cargo.toml" --target-dir "target/threads/$1" "${@:2}"
}
cargo fetch --quiet

say "$STATICTRAMP_OPERATIONS operations in each thread"
tested plain --test threads --test fibers
say "the same with strict reuse and a small table"
STATICTRAMP_REUSE=strict STATICTRAMP_SLOTS=200 tested plain --test threads

# rustc includes a sanitizer, but only a compiler that accepts -Z flags may use it. Rust's own library and the test
# harness are not instrumented, so their internal synchronization looks like races.
say "the same under ThreadSanitizer"
printf 'race:std::sync::mpmc\nrace:test::\n' >target/tsan.suppressions
TSAN_OPTIONS="suppressions=$PWD/target/tsan.suppressions" RUSTC_BOOTSTRAP=1 \
    RUSTFLAGS="-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer" \
    tested tsan --target x86_64-unknown-linux-gnu --test threads -- --test-threads=1

# Areas of a table remain until the process ends.
say "the same, and the pool's own tests, under AddressSanitizer"
sources=$core
ASAN_OPTIONS=detect_leaks=0 RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address" PROPTEST_CASES=$(share 32) STATICTRAMP_OPERATIONS=$(share 1000000) \
    tested asan --target x86_64-unknown-linux-gnu --features grow \
    --lib --test threads --test trampolines
