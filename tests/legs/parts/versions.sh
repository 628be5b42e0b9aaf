# Two versions of the crate in one program: their symbols differ. Sourced by the leg life.
# shellcheck disable=SC2086 # $other: several words, or none

other=$out/versions
copy_core $other/next
sed -i -e '/^\[dev-dependencies\]/,/^$/d' -e 's/^version = "0.1.0"/version = "0.2.0"/' $other/next/Cargo.toml
new_package $other/program versions
cat >>$other/program/Cargo.toml <<END
this = { package = "statictramp", path = "$PWD", features = ["grow"] }
next = { package = "statictramp", path = "$PWD/$other/next", features = ["grow"] }
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
cargo run --quiet --offline --manifest-path $other/program/Cargo.toml --target-dir target/versions
