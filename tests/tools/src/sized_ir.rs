//! `sized-ir KIND COUNT`: prints LLVM IR of a given size, for the test that the time of the analysis is linear in the
//! size.

use crate::{Outcome, print, usage};
use std::fmt::Write;

const DECLARATIONS: &str = "declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare void @elsewhere(ptr)
define internal i32 @inner(ptr nest %chain) {
  %n = load i32, ptr %chain
  ret i32 %n
}
";
const MEMORY: &str = "  %memory = alloca [32 x i8]\n";
const TUPLE: &str = "  %tuple = alloca { ptr }\n";
const END: &str = "  ret void\n}\n";

pub fn run(arguments: &[&str]) -> Outcome {
    const USAGE: &str = "steps|selects|hosts|calls|siblings|procedures COUNT";
    let [kind, count] = arguments else { return Err(usage(USAGE)) };
    let count = count.parse().map_err(|_| usage(USAGE))?;
    let body = match *kind {
        "steps" => chain(count, |i, before| {
            let step = if i % 2 == 1 { 1 } else { -1 };
            format!("getelementptr i8, ptr %p{before}, i64 {step}")
        }),
        "selects" => chain(count, |_, before| format!("select i1 %which, ptr %p{before}, ptr %other")),
        "hosts" => hosts(count),
        "calls" => calls(count),
        "siblings" => siblings(count),
        "procedures" => procedures(count),
        _ => return Err(usage(USAGE)),
    };
    print(&(DECLARATIONS.to_owned() + &body))
}

/// Returns the instructions that take the address of a procedure with this chain, and let it escape.
fn take(number: &str, procedure: &str, chain: &str) -> String {
    format!(
        "  call void @llvm.init.trampoline(ptr %memory, ptr @{procedure}, ptr {chain})
  %address{number} = call ptr @llvm.adjust.trampoline(ptr %memory)
  call void @elsewhere(ptr %address{number})\n"
    )
}

/// Returns a host in which `count` instructions lead to the chain.
fn chain(count: u32, step: impl Fn(u32, u32) -> String) -> String {
    let mut ir =
        format!("define void @host(i1 %which) {{\n  %p0 = alloca i32\n  %other = alloca i32\n{MEMORY}");
    for i in 1..=count {
        let _ = writeln!(ir, "  %p{i} = {}", step(i, i - 1));
    }
    ir + &take("", "inner", &format!("%p{count}")) + END
}

/// Hosts that each take the address, and call a sibling that takes it.
fn hosts(count: u32) -> String {
    let take = take("", "inner", "%tuple");
    (1..=count).fold(String::new(), |ir, i| {
        ir + &format!(
            "define internal void @sibling{i}(ptr nest %tuple) {{\n{MEMORY}{take}{END}\
             define void @host{i}(ptr %x) {{\n{TUPLE}{MEMORY}  store ptr %x, ptr %tuple
  call void @sibling{i}(ptr %tuple)\n{take}{END}"
        )
    })
}

/// Hosts that each call the next one.
fn calls(count: u32) -> String {
    let take = take("", "inner", "%tuple");
    (1..=count).fold(String::new(), |ir, i| {
        let next = if i < count { format!("  call void @host{}(ptr %x)\n", i + 1) } else { String::new() };
        ir + &format!(
            "define void @host{i}(ptr %x) {{\n{TUPLE}{MEMORY}  store ptr %x, ptr %tuple\n{next}{take}{END}"
        )
    })
}

/// Siblings that each pass the tuple on, and take the address.
fn siblings(count: u32) -> String {
    let take = take("", "inner", "%tuple");
    let siblings = (1..=count).fold(String::new(), |ir, i| {
        let next =
            if i < count { format!("  call void @sibling{}(ptr %tuple)\n", i + 1) } else { String::new() };
        ir + &format!("define internal void @sibling{i}(ptr nest %tuple) {{\n{MEMORY}{next}{take}{END}")
    });
    siblings
        + &format!(
            "define void @host(ptr %x) {{\n{TUPLE}  store ptr %x, ptr %tuple\n  call void @sibling1(ptr %tuple)\n{END}"
        )
}

/// One host with many procedures.
fn procedures(count: u32) -> String {
    let mut ir = String::new();
    for i in 1..=count {
        let _ = write!(ir, "define internal i32 @inner{i}(ptr nest %chain) {{\n  ret i32 {i}\n}}\n");
    }
    let _ = write!(ir, "define void @host(i1 %x) {{\n{TUPLE}{MEMORY}");
    for i in 1..=count {
        ir += &take(&i.to_string(), &format!("inner{i}"), "%tuple");
    }
    ir + END
}
