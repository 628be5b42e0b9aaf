# Calls with random signatures. C code compiled by gcc and clang at -O0 and -O2 calls Rust closures, which check every bit of
# every argument. The C code checks every bit of the result. Arguments are scalars, vectors, and structs (packed, over-aligned,
# with one field, with arrays, empty, nested). STATICTRAMP_SEED chooses the signatures, and STATICTRAMP_SIGNATURES sets their
# number.
# Installs: gcc, clang 19, lld, mold, binutils.
# Takes: 2 minutes.

need gcc=gcc clang-19=clang-19 ld.lld-19=lld-19 mold=mold ar=binutils
seed=${STATICTRAMP_SEED:-$(date +%s)}
count=${STATICTRAMP_SIGNATURES:-$(share 2000)}
[ "$count" -ge 200 ] || count=${STATICTRAMP_SIGNATURES:-200}
echo "seed $seed, $count signatures"
out=$PWD/target/abi
new_package "$out"/program abi
rustc --edition 2024 -O tests/programs/abi/generate.rs -o "$out"/generate
# signatures TARGET OPTION...: generates the signatures and compiles the C side with these options.
signatures() {
    local how prefix compiler level
    "$out"/generate "$seed" "$count" "$1" "$out"/program/src {gcc,clang}_O{0,2}
    # As a library, the generated code is compiled once for all linkers.
    sed 's/^fn main()/pub fn main()/' "$out"/program/src/main.rs >"$out"/program/src/lib.rs
    echo 'fn main() { abi::main() }' >"$out"/program/src/main.rs
    rm -f "$out"/libcalls.a
    for how in gcc_O0:gcc:-O0 gcc_O2:gcc:-O2 clang_O0:clang-19:-O0 clang_O2:clang-19:-O2; do
        IFS=: read -r prefix compiler level <<<"$how"
        $compiler "$level" "${@:2}" -fno-lto -w -Wno-psabi -DPREFIX="$prefix" -c "$out"/program/src/calls.c -o "$out/$prefix.o"
    done
    ar rcs "$out"/libcalls.a "$out"/{gcc,clang}_O{0,2}.o
}
signatures x86_64
cat >>"$out"/program/Cargo.toml <<END
statictramp = { path = "$PWD" }
[profile.release]
lto = true
codegen-units = 4
opt-level = 2
[profile.dev]
debug = false
END
# run NAME PROFILE ARGUMENTS...: builds with these arguments for rustc, which apply to the last link alone, and runs the program.
run() {
    echo "-- $1"
    (cd "$out"/program && cargo rustc --quiet --offline "--profile=$2" --target-dir "$out"/target --bin abi -- "-Clink-arg=$out/libcalls.a" "${@:3}")
    "$out/target/${2/dev/debug}/abi"
}
run "debug, rustc's own linker" dev
run "debug, GNU ld" dev -Clinker-features=-lld
run "debug, mold" dev -Clinker-features=-lld -Clink-arg=-fuse-ld=mold
# In a short run, the only lld is rustc's own.
[ "$effort" -lt 100 ] || run "debug, lld" dev -Clinker=clang-19 -Clinker-features=-lld -Clink-arg=-fuse-ld=lld
run "release, LTO" release
if grep -qw avx /proc/cpuinfo; then
    signatures x86_64+avx -mavx
    # All of these crates pass such vectors in the same way.
    RUSTFLAGS=-Ctarget-feature=+avx run "release, vectors of 32 bytes" release
fi

say "C: signatures known only at run time, and an inserted context, compared with libffi"
source capi/tests/legs/parts/signatures.sh
c_signatures x86_64 "$(build_capi)/libstatictramp.a"
