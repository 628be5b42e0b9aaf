//! Every misuse that the compiler can detect is a helpful error. The expected texts are those of one compiler version;
//! `TRYBUILD=overwrite` writes those of another.

#[test]
fn misuse_does_not_compile() {
    if rustc() != include_str!("misuse/rustc-version").trim() {
        // Other versions word their errors differently: for them, any error is accepted.
        for entry in std::fs::read_dir("tests/misuse").unwrap() {
            let path = entry.unwrap().path();
            let (Some("rs"), true) = (path.extension().and_then(|e| e.to_str()), path.exists()) else {
                continue;
            };
            assert!(path.with_extension("stderr").exists(), "{}", path.display());
        }
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/misuse/*.rs");
}

fn rustc() -> String {
    let output =
        std::process::Command::new(std::env::var("RUSTC").unwrap_or("rustc".into())).arg("-V").output();
    String::from_utf8(output.unwrap().stdout).unwrap().split(' ').nth(1).unwrap_or_default().to_string()
}
