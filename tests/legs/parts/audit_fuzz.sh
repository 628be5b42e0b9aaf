# `statictramp audit` of any bytes, by libFuzzer with AddressSanitizer, with 1 GB of memory and a minute for each file: it reads
# debugging information for 10 seconds, and others may use the machine.
# Besides stable Rust this takes only flags that are not stable. Sourced by the leg "audit", which has set $out and what is
# in "$out/seeds". FUZZ_SECONDS: another length.

say "any bytes for a file"
flags="-Zsanitizer=address -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 --cfg fuzzing"
RUSTC_BOOTSTRAP=1 RUSTFLAGS=$flags cargo build --quiet --release --target x86_64-unknown-linux-gnu \
    --manifest-path tests/programs/audit/fuzz/Cargo.toml --target-dir target/fuzz
fuzz=$PWD/target/fuzz/x86_64-unknown-linux-gnu/release/statictramp-audit-fuzz
mkdir -p "$out/corpus"
# What a short run tries is told by its seed, not by how fast the machine is: its time is twice what it takes.
seconds=${FUZZ_SECONDS:-$(share 3600)} runs=$(share 18000000) # whichever is over first
ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=0 nice "$fuzz" ${STATICTRAMP_SEED:+"-seed=$STATICTRAMP_SEED"} -max_total_time="$seconds" -runs="$runs" -max_len=65536 -timeout=60 \
    -rss_limit_mb=1024 -malloc_limit_mb=512 -artifact_prefix="$out/fuzz-" "$out/corpus" "$out/seeds" >"$out/fuzz.log" 2>&1 ||
    { tail -n 40 "$out/fuzz.log"; fail "audit fails, by the bytes in $out/fuzz-*"; }
sed -n 's/^Done \(.*\)/\1/p' "$out/fuzz.log"
