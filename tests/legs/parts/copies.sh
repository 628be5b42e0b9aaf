# Two copies in one program, in every pair: two versions of the crate, the archive, the shared library, and the archive in a plugin.
# Sourced by the life leg, which has set $library and $archive.
# shellcheck disable=SC2086 # $other, $copies: several words, or none

other=$out/versions
later_core $other/next 0.2.0
new_package $other/program versions
cat >>$other/program/Cargo.toml <<END
this = { package = "statictramp", path = "$PWD", features = ["grow"] }
next = { package = "statictramp", path = "$PWD/$other/next", features = ["grow"] }
[[bin]]
name = "grown"
path = "src/main.rs"
[[bin]]
name = "copies"
path = "$PWD/tests/programs/copies/hosted.rs"
[profile.dev]
opt-level = 1
END
cat >$other/program/build.rs <<'END'
fn main() {
    println!("cargo:rerun-if-env-changed=KIND");
    let kind = std::env::var("KIND").unwrap();
    println!("cargo:rustc-link-search=native={}", std::env::var("LIBRARY").unwrap());
    println!("cargo:rustc-link-lib={kind}=statictramp");
    println!("cargo:rustc-env=LINKED={}", if kind == "static" { "archive" } else { "linked shared library" });
}
END
cat >$other/program/src/main.rs <<'END'
fn main() {
    let (one, two) = (|x: usize| x + 1, |x: usize| x + 2);
    let first = this::bind(&one).unwrap();
    let second = next::bind(&two).unwrap();
    // SAFETY: both callbacks are alive.
    let sum = unsafe { first.as_fn()(10) + second.as_fn()(20) };
    assert_eq!((sum, this::live(), next::live()), (33, 1, 1));
    assert!(this::lookup(second.trampoline().as_ptr()).is_err() && next::lookup(first.trampoline().as_ptr()).is_err());
    let many: Vec<_> = (0..3000).map(|_| (this::bind(&one).unwrap(), next::bind(&two).unwrap())).collect();
    // SAFETY: as above.
    assert!(many.iter().all(|(a, b)| unsafe { a.as_fn()(1) + b.as_fn()(1) } == 5));
    println!("two versions in one program: {} and {} slots", this::capacity(), next::capacity());
}
END
cargo build --quiet -p statictramp-cli
gcc $flags -shared -fPIC tests/programs/copies/plugin.c "$archive" -o $out/libplugin.so
for kind in static dylib; do
    LIBRARY=$library KIND=$kind cargo build --quiet --offline --manifest-path $other/program/Cargo.toml --target-dir target/versions
    [ $kind = dylib ] || target/versions/debug/grown
    # A program that is linked to the shared library must not get a second instance of it.
    copies="target/versions/debug/copies $out/libplugin.so"
    [ $kind = dylib ] || copies+=" $out/libstatictramp.so.0"
    LD_LIBRARY_PATH=$library $copies 2>$out/copies.complaints >$out/copies.says || fail "$kind: $(tail -n 20 $out/copies.complaints)"
    cat $out/copies.says
    # A C library reports each foreign pointer that it is asked to free.
    said='is a trampoline of another copy of this library, in .*: two copies are loaded, and each knows only its own trampolines$'
    grep -q "$said" $out/copies.complaints && ! grep -v "$said" $out/copies.complaints || fail "$kind: the program printed a different message"

    # The tool lists the trampolines of all copies.
    : >$out/copies.says
    DUMP=1 LD_LIBRARY_PATH=$library $copies >$out/copies.says &
    pid=$!
    wait_for ready $out/copies.says
    target/debug/statictramp dump $pid >$out/copies.dump || fail "$kind: statictramp dump fails"
    kill $pid
    wait $pid 2>/dev/null || :
    diff <(grep ^0x $out/copies.says | sort) <(sed -n 's/^  \(0x[0-9a-f]*\)  slot .*  callee .*/\1/p' $out/copies.dump | sort) ||
        fail "$kind: the dump and the program list different trampolines"
done
