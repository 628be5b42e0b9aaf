# Random signatures on another processor or system, as in the "abi" leg. Sourced by the "cross" and "windows" legs after
# machines.sh, with $triple set and generate.rs compiled.
# shellcheck disable=SC2086 # $vectors, $for_clang, $emulator: several words, or none

seed=${STATICTRAMP_SEED:-$(date +%s)}
count=${STATICTRAMP_SIGNATURES:-$(share $most)}
[ "$count" -ge 40 ] || count=${STATICTRAMP_SIGNATURES:-40}
built=${target:-$PWD/target/cross}
signatures=$built/abi-$machine
new_package "$signatures" abi
printf 'statictramp = { path = "%s" }\n[profile.dev]\ndebug = false\nopt-level = 1\n' "$PWD" >>"$signatures/Cargo.toml"
echo "seed $seed"
"$built/generate-signatures" "$seed" "$count" "$machine:${types:-$bits}" "$signatures/src" {gcc,clang}_O{0,2}
for level in O0 O2; do
    "$gnu"-gcc -$level $vectors -w -Wno-psabi -DPREFIX=gcc_$level -c "$signatures/src/calls.c" -o "$signatures/gcc_$level.o"
    "clang-$clang" --target="$gnu" $for_clang -isystem "$root/usr/$gnu/include" \
        -$level $vectors -w -DPREFIX=clang_$level -c "$signatures/src/calls.c" -o "$signatures/clang_$level.o"
done
rm -f "$signatures/libcalls.a"
"$gnu"-ar rcs "$signatures/libcalls.a" "$signatures"/{gcc,clang}_O{0,2}.o
cross_cargo "$triple" rustc --offline --manifest-path "$signatures/Cargo.toml" -- \
    -Awarnings "-Clink-arg=$signatures/libcalls.a"
$emulator "$built/$triple/debug/abi$exe"
