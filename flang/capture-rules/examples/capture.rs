//! Prints the rules of `statictramp_capture_rules`. Each line is for one kind of dummy argument, and specifies what may
//! be captured by a procedure with an explicit interface, with BIND(C), and with an implicit interface.

use statictramp_capture_rules::{Dummy, Procedure, may_capture};

fn main() {
    let dummies = [
        ("none", Dummy::DATA),
        ("target", Dummy { target: true, ..Dummy::DATA }),
        ("pointer", Dummy { pointer: true, ..Dummy::DATA }),
        ("asynchronous", Dummy { asynchronous: true, ..Dummy::DATA }),
        ("volatile", Dummy { volatile: true, ..Dummy::DATA }),
        ("value", Dummy { value: true, ..Dummy::DATA }),
        ("procedure", Dummy::PROCEDURE),
    ];
    println!("{:<14}{:<12}{:<12}{:<12}", "dummy", "explicit", "bind(c)", "implicit");
    for (name, dummy) in dummies {
        let result = |explicit_interface, bind_c| {
            if may_capture(Procedure { explicit_interface, bind_c }, dummy) { "may" } else { "never" }
        };
        println!(
            "{name:<14}{:<12}{:<12}{:<12}",
            result(true, false),
            result(true, true),
            result(false, false)
        );
    }
}
