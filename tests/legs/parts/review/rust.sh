# The Rust interface: programs that must not compile fail with the right message; the table that shows why no safe
# caller can cause undefined behaviour (tests/proofs/SAFE.md) has exactly one line for each callable item.

here=tests/programs/review/rust
out=$PWD/target/review/rust
export RUSTC_BOOTSTRAP=1 # for rustdoc's JSON; the programs use nothing unstable
mkdir -p "$out"

say "items that safe code can reach, and the table"
need_test_tools
[ "$(uname -m)" = x86_64 ] || fail "this check runs only on x86-64, because tests/proofs/SAFE.md lists the items of that target"
# reachable PACKAGE [ARGUMENT FOR CARGO]...: the items that outside code can name. `$out/generic` lists the types among
# them that have parameters.
reachable() {
    cargo rustdoc --quiet --offline -p "$1" --lib "${@:2}" --target-dir "$out/api" -- \
        -Zunstable-options --output-format json --document-hidden-items --cap-lints allow
    "$test_tools" api "$out/generic" <"$out/api/doc/${1//-/_}.json"
}
reachable statictramp --features grow,scratch,__slot-extra >"$out/found"
mv "$out/generic" "$out/borrowing"
for crate in raw interop capture-rules; do
    features=()
    [ $crate != raw ] || features=(--features __for-capi)
    reachable statictramp-$crate "${features[@]}" | sed "s/^/statictramp_${crate//-/_}::/" >>"$out/found"
    sed "s/^/statictramp_${crate//-/_}::/" "$out/generic" >>"$out/borrowing"
done
sed -n 's/^| `\([^`]*\)` | ..*|$/\1/p' tests/proofs/SAFE.md | LC_ALL=C sort >"$out/listed"
LC_ALL=C sort -o "$out/found" "$out/found"
[ "$(wc -l <"$out/found")" -gt 200 ] || fail "only $(wc -l <"$out/found") items were found in rustdoc's JSON, expected more than 200"
diff "$out/listed" "$out/found" >"$out/difference" ||
    { cat "$out/difference"; fail "tests/proofs/SAFE.md (<) differs from the sources (>)"; }
# Every type that may borrow states what the drop check enforces.
[ "$(wc -l <"$out/borrowing")" -gt 20 ] || fail "only $(wc -l <"$out/borrowing") types with parameters were found, expected more than 20"
while read -r type; do
    grep -q "^| \`$type\` | .* | ..* |\$" tests/proofs/SAFE.md || fail "tests/proofs/SAFE.md does not state what the drop check enforces for $type"
done <"$out/borrowing"
# The tests that the table names exist.
grep -o '`\(\(interop\|raw\)/\)\?\(src\|tests\)/[a-z_/]*\.rs`' tests/proofs/SAFE.md | tr -d '`' | sort -u | while read -r file; do
    [ -e "$file" ] || fail "tests/proofs/SAFE.md names $file, which does not exist"
done
# The only other members that are libraries for Rust code are the tool and its subcommand for Fortran, which the tool's program calls,
# the plugin, for the rewriter, and the table of targets, for build scripts.
libraries=$(cargo metadata --quiet --offline --no-deps --format-version 1 | perl -MJSON::PP -0e '
    for my $package (@{ decode_json(<STDIN>)->{packages} }) {
        my @kinds = map { @{ $_->{crate_types} } } @{ $package->{targets} };
        print "$package->{name} " if grep { /^(lib|rlib|dylib|proc-macro)$/ } @kinds;
    }' | xargs -n 1 | sort | xargs)
for library in targets/targets.rs flang/captures/src/lib.rs; do
    grep -qx "#!\[forbid(unsafe_code)\]" $library || fail "$library may contain unsafe code, but SAFE.md does not list its items"
done
[ "$libraries" = "statictramp statictramp-capture-rules statictramp-captures statictramp-cli statictramp-flang statictramp-interop statictramp-raw statictramp-targets" ] || fail "SAFE.md names eight Rust libraries, but the workspace has: $libraries"
[ "$(grep '^pub' cli/src/lib.rs)" = "$(printf 'pub mod fuzzed {\npub struct Subcommand {\npub fn main(others: &[Subcommand]) -> ExitCode {')" ] ||
    fail "SAFE.md names only main in cli/src/lib.rs, but the file exports something else"
[ "$(grep '^pub' flang/src/lib.rs)" = "pub use file::rewrite_file;" ] || fail "SAFE.md names only rewrite_file in flang/src/lib.rs, but the file exports something else"
echo "$(wc -l <"$out/listed") lines, none missing and none too many"

say "programs that must not compile"
new_package "$out/program" refused
printf 'statictramp = { path = "%s" }\nstatictramp-interop = { path = "%s/interop" }\n' "$PWD" "$PWD" >>"$out/program/Cargo.toml"
echo 'fn main() {}' >"$out/program/src/main.rs"
rm -rf "$out/program/src/bin"
(cd "$out/program" && cargo build --quiet --offline --target-dir "$out/target")
# newest CRATE: its library from this build.
newest() { find "$out/target/debug/deps" -name "lib$1-*.rlib" -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2-; }
library=$(newest statictramp) interop=$(newest statictramp_interop)
# compile EDITION PROGRAM [ARGUMENT FOR RUSTC]...: compiles a program; `$out/said` contains the messages. Code must be
# generated, because conditions on types are evaluated only then.
compile() {
    rustc --edition "$1" --extern "statictramp=$library" --extern "statictramp_interop=$interop" -L "dependency=$out/target/debug/deps" \
        -o "$out/refused" "${@:3}" "$2" 2>"$out/said"
}
for program in "$here"/rejected/*.rs; do
    wanted=$(sed -n '1s,^//! says: ,,p' "$program")
    [ -n "$wanted" ] || fail "$program does not state the expected compiler message"
    if compile 2024 "$program"; then fail "$program compiles, but the compiler must reject it"; fi
    tr -s ' \n|' ' ' <"$out/said" | grep -qF -- "$wanted" || { cat "$out/said"; fail "$program is rejected for a reason other than \"$wanted\""; }
done
all=("$here"/rejected/*.rs)
echo "${#all[@]} programs are rejected for the right reason"

say "temporary guards in edition 2021"
for program in "$here"/edition_2021/*.rs; do
    if compile 2021 "$program"; then fail "edition 2021 accepts $program, but the guard is dropped after its closure"; fi
    grep -qF 'error[E0597]: `closure` does not live long enough' "$out/said" || { cat "$out/said"; fail "$program is rejected for another reason"; }
    compile 2024 "$program" || { cat "$out/said"; fail "edition 2024 rejects $program"; }
    compile 2021 "$program" --cfg remedy || { cat "$out/said"; fail "edition 2021 rejects the remedy in $program"; }
    "$out/refused"
    echo "$(basename "$program" .rs): rejected in edition 2021, accepted in edition 2024 and with the remedy"
done
