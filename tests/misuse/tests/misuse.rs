//! Tests that every misuse that the compiler can detect causes a helpful error. The expected texts are those of
//! one compiler version. `TRYBUILD=overwrite` replaces them by the texts of another version.

#[test]
fn misuse_does_not_compile() {
    if rustc() != include_str!("../rustc-version").trim() {
        // Other versions word their errors differently, so any error is accepted from them.
        for entry in std::fs::read_dir(".").unwrap() {
            let path = entry.unwrap().path();
            let (Some("rs"), true) = (path.extension().and_then(|e| e.to_str()), path.exists()) else {
                continue;
            };
            assert!(path.with_extension("stderr").exists(), "{}", path.display());
        }
        return;
    }
    trybuild::TestCases::new().compile_fail("*.rs");
}

/// Checks that each message in the guide's table of compiler errors occurs for a program in this directory.
#[test]
fn the_guide_quotes_messages_that_the_compiler_prints() {
    let expected: Vec<String> = std::fs::read_dir(".")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "stderr"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let guide = std::fs::read_to_string("../../docs/rust.md").unwrap();
    let section = guide.split("## Compiler errors").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows: Vec<&str> =
        section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert!(rows.len() >= 10, "{rows:?}");
    for message in rows {
        assert!(expected.iter().any(|text| text.contains(message)), "no test gets `{message}`");
    }
}

fn rustc() -> String {
    let output =
        std::process::Command::new(std::env::var("RUSTC").unwrap_or("rustc".into())).arg("-V").output();
    String::from_utf8(output.unwrap().stdout).unwrap().split(' ').nth(1).unwrap_or_default().to_string()
}
