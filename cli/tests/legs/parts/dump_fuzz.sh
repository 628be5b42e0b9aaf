# The readers of `statictramp dump`, fuzzed by libFuzzer with AddressSanitizer. Stable Rust suffices, with unstable
# flags; the seeds are the readers' inputs on this machine. Sourced by the leg "tool".

say "the readers of dump: arbitrary bytes"
flags="-Zsanitizer=address -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 --cfg fuzzing"
RUSTC_BOOTSTRAP=1 RUSTFLAGS=$flags cargo build --quiet --release --locked --target x86_64-unknown-linux-gnu \
    --manifest-path cli/tests/fuzz/Cargo.toml --target-dir target/fuzz
fuzz=$PWD/target/fuzz/x86_64-unknown-linux-gnu/release/fuzz-dump

out=$PWD/target/tool/fuzz
mkdir -p "$out"/seeds/{maps,notes,layouts,descriptors,symbols}
head -n 12 /proc/self/maps >"$out/seeds/maps/self"
gcc -Os -s -nostdlib -shared cli/tests/programs/dump/note.S -o "$out/seeds/notes/image"
gcc -c cli/tests/programs/dump/note.S -o "$out/seeds/symbols/object"
printf 'a: descriptor(2), c: character, p: pointer\n' >"$out/seeds/layouts/list"
printf '{ ptr, { ptr, i64 }, { ptr, i64, i32, i8, i8, i8, i8, [2 x [3 x i64]] } } n: integer(4), name, a\n' >"$out/seeds/layouts/type"
# A rank-1 descriptor of gfortran: base, 4, version 1, rank 1, neither pointer nor allocatable, integer(4), 1:3, 4.
perl -e 'print pack("Q2 l C4 q3", 0x1000, 4, 1, 1, 2, 1, 4, 1, 3, 4), pack("V3", 1, 2, 3)' >"$out/seeds/descriptors/one"
runs=$(share 200000) # a million for the five readers
for reader in maps notes layouts descriptors symbols; do
    mkdir -p "$out/corpus/$reader"
    case $reader in notes | symbols) longest=32768 ;; *) longest=2048 ;; esac # the length of the seeds
    READER=$reader ASAN_OPTIONS=detect_leaks=0 "$fuzz" -runs="$runs" -max_len="$longest" -timeout=10 -rss_limit_mb=1024 -seed=1 \
        -artifact_prefix="$out/$reader-" "$out/corpus/$reader" "$out/seeds/$reader" >"$out/fuzz.log" 2>&1 ||
        { tail -n 40 "$out/fuzz.log"; fail "the reader of $reader fails on the bytes in $out/$reader-*"; }
    echo "$reader: $runs runs, $(sed -n 's/.*DONE *\(cov: [0-9]*\).*/\1/p' "$out/fuzz.log")"
done
