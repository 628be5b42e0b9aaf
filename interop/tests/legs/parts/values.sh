# The functions of the two headers, called with values that no program should pass, and the library itself built with
# checks for overflows, violated preconditions of unsafe functions, and invalid addresses. Sourced by the descriptors leg, which has
# set $library and $out.

say "arbitrary values for the C functions, under sanitizers"
RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address cargo build --quiet --release -p statictramp-archive --target x86_64-unknown-linux-gnu \
    --target-dir target/asan --config profile.release.lto=false --config profile.release.debug-assertions=true \
    --config profile.release.overflow-checks=true
for build in "$library/libstatictramp.a" target/asan/x86_64-unknown-linux-gnu/release/libstatictramp_archive.a; do
    gcc -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -Wall -Wextra -Icapi/include -Iinterop/capi/include interop/tests/programs/values.c \
        "$build" -o "$out/values"
    for seed in 1 2; do
        "$out/values" $seed "$(share 100000)" || fail "values with seed $seed failed with the library in $build"
    done
done
echo "$(share 100000) tables, descriptors, memrefs and layouts each"
