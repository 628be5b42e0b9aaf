# Fuzzing of `statictramp audit` by libFuzzer with AddressSanitizer, with 1 GB of memory and a minute for each file, because the
# tool reads debugging information for up to 10 seconds and the machine may be shared. Stable Rust with unstable flags is
# sufficient. Sourced by the leg "audit", which has set $out and filled "$out/seeds". FUZZ_SECONDS: another duration.

say "arbitrary bytes as a file"
flags="-Zsanitizer=address -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 --cfg fuzzing"
RUSTC_BOOTSTRAP=1 RUSTFLAGS=$flags cargo build --quiet --release --locked --target x86_64-unknown-linux-gnu \
    --manifest-path cli/tests/fuzz/Cargo.toml --target-dir target/fuzz
fuzz=$PWD/target/fuzz/x86_64-unknown-linux-gnu/release/fuzz-audit
mkdir -p "$out/corpus"
# A short run is determined by its seed and not by the speed of the machine, because only a machine that is much slower
# than others reaches the time limit.
seconds=${FUZZ_SECONDS:-$(share 3600)} runs=$(share 18000000) # the first limit that is reached
[ "$effort" -ge 100 ] || runs=$((runs / 8))
ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=0 nice "$fuzz" ${STATICTRAMP_SEED:+"-seed=$STATICTRAMP_SEED"} -max_total_time="$seconds" -runs="$runs" -max_len=65536 -timeout=60 \
    -rss_limit_mb=1024 -malloc_limit_mb=512 -artifact_prefix="$out/fuzz-" "$out/corpus" "$out/seeds" >"$out/fuzz.log" 2>&1 ||
    { tail -n 40 "$out/fuzz.log"; fail "audit fails on the bytes in $out/fuzz-*"; }
sed -n 's/^Done \(.*\)/\1/p' "$out/fuzz.log"
