//! The capture rules, compared with the attributes that flang 22 gives to dummy arguments when it optimizes. The
//! differences must be those in `capture_differences.txt`.

use crate::*;
use test_tools::write;

#[test]
fn flang_22_differs_from_the_rules_only_as_documented() {
    let directory = new_directory("capture");
    let example = "cargo run --quiet -p statictramp-capture-rules --example capture";
    let rules = stdout(host(&root(), example));
    // There is a dummy argument of each kind, in a module procedure, in one with BIND(C), and, if permitted, behind an implicit
    // interface.
    let (mut module, mut calls) = ("module m\ncontains\n".to_owned(), String::new());
    let mut wanted: Vec<(String, &str)> = Vec::new();
    for rule in rules.lines().skip(1) {
        let [dummy, explicit, c, implicit] = rule.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("the rule \"{rule}\" does not have four words");
        };
        let declaration = match dummy {
            "none" => "real :: x".to_owned(),
            "pointer" => "real, pointer :: x".to_owned(),
            "procedure" => "external :: x".to_owned(),
            _ => format!("real, {dummy} :: x"),
        };
        let actual =
            if ["pointer", "procedure"].contains(&dummy) { &declaration } else { "real, target :: x" };
        module += &format!("subroutine explicit_{dummy}(x)\n{declaration}\nend subroutine\n");
        calls += &format!(
            "subroutine calls_{dummy}(x)\nuse m\n{actual}\ninterface\nsubroutine c_{dummy}(x) bind(c)\n{declaration}\n\
             end subroutine\nend interface\ncall explicit_{dummy}(x)\ncall c_{dummy}(x)\n"
        );
        wanted.push((format!("_QMmPexplicit_{dummy}"), explicit));
        wanted.push((format!("c_{dummy}"), c));
        if ["none", "procedure"].contains(&dummy) {
            calls += &format!("call implicit_{dummy}(x)\n");
            wanted.push((format!("implicit_{dummy}_"), implicit));
        }
        calls += "end subroutine\n";
    }
    assert!(!wanted.is_empty(), "there are no rules");
    write(directory.join("m.f90"), module + "end module\n");
    write(directory.join("calls.f90"), calls);
    flang(22, &directory, "-O2 -c m.f90 -o m.o").passes();
    // If the module of another file is available, there are only declarations, whose attributes come from the front end.
    flang(22, &directory, "-O2 -S -emit-llvm calls.f90 -o calls.ll").passes();
    let ir = read(directory.join("calls.ll"));
    let mut differences = String::new();
    for (symbol, rule) in wanted {
        let declaration = multi_line(&format!(r"^declare .*@{symbol}\(.*")).find(&ir);
        let declaration =
            declaration.unwrap_or_else(|| panic!("calls.ll does not declare {symbol}")).as_str();
        let is_kept =
            !declaration.contains("captures(none)") && !declaration.contains(&format!("@{symbol}(float"));
        let flang = if is_kept { "may" } else { "never" };
        if flang != rule {
            let symbol = symbol.trim_start_matches("_QMmP");
            differences += &format!("{symbol}: the language says {rule}, flang 22 says {flang}\n");
        }
    }
    let stated = read(programs("capture_differences.txt"));
    let stated: String =
        stated.lines().filter(|it| !it.starts_with('#')).map(|it| format!("{it}\n")).collect();
    assert_eq!(differences, stated);
}
