# The Rust interface: what must not compile does not, and says why; the table of why no safe caller can cause undefined
# behaviour (tests/review/SAFE.md) has a line for each thing that can be called, and for nothing else.

here=tests/review/rust
out=$PWD/target/review/rust
export RUSTC_BOOTSTRAP=1 # for rustdoc's JSON; the programs use nothing of it

say "what safe code can reach, and the table"
need perl=perl
[ "$(uname -m)" = x86_64 ] || fail "tests/review/SAFE.md lists what there is on x86-64"
cargo rustdoc --quiet --offline -p statictramp --lib --features grow,scratch,trace,sides --target-dir "$out/api" -- \
    -Zunstable-options --output-format json --document-hidden-items --cap-lints allow
perl $here/api.pl <"$out/api/doc/statictramp.json" >"$out/found"
sed -n 's/^| `\([^`]*\)` | ..*|$/\1/p' tests/review/SAFE.md | LC_ALL=C sort >"$out/listed"
LC_ALL=C sort -o "$out/found" "$out/found"
[ "$(wc -l <"$out/found")" -gt 200 ] || fail "rustdoc's JSON was not understood"
diff "$out/listed" "$out/found" >"$out/difference" ||
    { cat "$out/difference"; fail "tests/review/SAFE.md (<) is not what there is (>)"; }
# Tests that the table names are there.
grep -o '`tests/[a-z_/]*\.rs`\|`src/[a-z_/]*\.rs`' tests/review/SAFE.md | tr -d '`' | sort -u | while read -r file; do
    [ -e "$file" ] || fail "tests/review/SAFE.md names $file, which is not there"
done
# No other member is a library that Rust code can use but the plugin, for the program beside it.
libraries=$(cargo metadata --quiet --offline --no-deps --format-version 1 | perl -MJSON::PP -0e '
    for my $package (@{ decode_json(<STDIN>)->{packages} }) {
        my @kinds = map { @{ $_->{crate_types} } } @{ $package->{targets} };
        print "$package->{name} " if grep { /^(lib|rlib|dylib|proc-macro)$/ } @kinds;
    }' | xargs -n 1 | sort | xargs)
[ "$libraries" = "statictramp statictramp-flang" ] || fail "SAFE.md knows of two libraries for Rust code, but there are: $libraries"
[ "$(grep '^pub' flang/src/lib.rs)" = "pub use file::rewrite_file;" ] || fail "SAFE.md knows only rewrite_file of flang/src/lib.rs"
echo "$(wc -l <"$out/listed") lines, none missing and none too many"

say "what must not compile"
new_package "$out/program" refused
printf 'statictramp = { path = "%s" }\n' "$PWD" >>"$out/program/Cargo.toml"
echo 'fn main() {}' >"$out/program/src/main.rs"
rm -rf "$out/program/src/bin"
(cd "$out/program" && cargo build --quiet --offline --target-dir "$out/target")
library=$(ls -t "$out"/target/debug/libstatictramp-*.rlib "$out"/target/debug/deps/libstatictramp-*.rlib 2>/dev/null | head -n 1)
for program in $here/refused/*.rs; do
    wanted=$(sed -n '1s,^//! says: ,,p' "$program")
    [ -n "$wanted" ] || fail "$program does not say what the compiler must"
    # Code must be made: what depends on types is decided then.
    if rustc --edition 2024 --extern "statictramp=$library" -L "dependency=$out/target/debug/deps" -o "$out/refused" \
        "$program" 2>"$out/said"; then
        fail "$program compiles"
    fi
    tr -s ' \n|' ' ' <"$out/said" | grep -qF -- "$wanted" || { cat "$out/said"; fail "$program is refused, but not for \"$wanted\""; }
done
echo "$(ls $here/refused/*.rs | wc -l) programs are refused for the right reason"
