//! The library alone, when the system denies operations.

use crate::restricted::{Restricted, Settings, is_static, large_library, tool};
use test_tools::{Expect, copy_shared_library, library, line};

const PROGRAMS: &str = "tests/programs/hardened";

#[test]
fn the_restrictions_take_effect() {
    let restricted = Restricted::new("rights");
    let out = &restricted.out;
    line!("gcc -O0 -DWRITTEN=\"{out}/written\" {PROGRAMS}/rights.c -o {out}/rights").passes();
    for (restriction, status) in [
        ("none", 15),
        ("mdwe", 14),
        ("kill", 159),
        ("eperm", 14),
        ("no-proc", 13),
        ("read-only", 11),
        ("address", 7),
    ] {
        if restriction == "none" || restricted.all.contains(&restriction) {
            // The exit status encodes the permitted operations.
            restricted.under(restriction, Settings::default(), &format!("{out}/rights")).ended().ends(status);
        }
    }
    // Memory that is not executable is not denied.
    restricted.under("kill", Settings::default(), &format!("{out}/rights x")).ended().ends(15);
}

/// Builds the client with an archive.
fn client(restricted: &Restricted) -> String {
    let client = format!("{}/client", restricted.out);
    let archive = library().join("libstatictramp.a");
    line!(
        "gcc -O2 -Wall -Wextra -Werror -Icapi/include {PROGRAMS}/client.c {} -o {client}",
        archive.display()
    )
    .passes();
    client
}

/// The client creates, calls and frees trampolines, fills the table, calls after a free, and abandons hosts with
/// longjmp.
#[test]
fn the_client_works_under_each_restriction() {
    let restricted = Restricted::new("client");
    let (client, out) = (client(&restricted), &restricted.out);
    copy_shared_library(out); // $ORIGIN comes from /proc
    line!("gcc -O2 -Icapi/include {PROGRAMS}/client.c -L{out} -lstatictramp -Wl,-rpath,{out} -o {out}/client-shared").passes();
    for restriction in &restricted.all {
        let wanted = if is_static(restriction) { "static" } else { "grows" };
        for program in [&client, &format!("{out}/client-shared")] {
            let ended = restricted.runs_with_limit(restriction, 1024, &format!("{program} {wanted}"));
            println!("{restriction:10} {}", ended.text.trim());
        }
    }
    // The control tries growth although it kills the process. This shows that the filter works.
    restricted.with("no-exec=kill", &format!("{client} grows")).ended().ends(159);
}

const SYSTEM_CALLS: &str = "open openat read pread64 write close pipe2 mmap munmap gettid getpid sigaltstack rt_sigprocmask \
    rt_sigaction sched_getaffinity madvise mprotect membarrier prlimit64 futex getrandom brk prctl mseal pkey_alloc \
    process_vm_readv memfd_create fstat newfstatat fcntl";

#[test]
fn the_client_works_if_any_one_system_call_is_denied() {
    let restricted = Restricted::new("system-calls");
    let client = client(&restricted);
    let (mut growing, mut fixed) = (Vec::new(), Vec::new());
    for call in SYSTEM_CALLS.split_whitespace() {
        let denied = format!("refuse={call}");
        let ended = restricted.with(&denied, &format!("{client} may-grow")).ended().ends(0);
        if ended.text.starts_with("1024") {
            fixed.push(call)
        } else {
            growing.push(call)
        }
        // The signal with which glibc's abort can still end the process. Without gettid, this is the signal of a faulting
        // instruction.
        let ended = restricted.with(&denied, &format!("{client} dies")).ended();
        assert!(
            [134, 139].contains(&ended.status),
            "without {call}, a call after free: exit status {}: {ended}",
            ended.status
        );
        if call != "write" {
            ended.matches("^statictramp: call through a freed trampoline: slot");
        }
    }
    println!(
        "everything works without any one of: {growing:?}\neverything except growth works without: {fixed:?}"
    );
}

#[test]
fn a_full_table_in_a_small_address_space_returns_the_documented_error() {
    let restricted = Restricted::new("address");
    let (out, archive) = (&restricted.out, library().join("libstatictramp.a"));
    line!(
        "gcc -O2 -w -pthread -Icapi/include capi/tests/programs/c/grow.c {} -o {out}/grow",
        archive.display()
    )
    .passes();
    for megabytes in [16, 32, 64] {
        let ended = restricted
            .with(&format!("address={megabytes}"), &format!("{out}/grow 1000000 expect-full x"))
            .ended()
            .ends(0);
        println!("{megabytes} MiB: {}", ended.text.trim());
    }
}

#[test]
fn the_tool_works_under_each_restriction() {
    let (restricted, tool) = (Restricted::new("tool"), tool());
    for restriction in &restricted.all {
        let word = if ["kill", "no-proc"].contains(restriction) { "--static" } else { "" };
        restricted.runs_with_limit(restriction, 1024, &format!("{tool} {word}"));
    }
    restricted.with("no-exec=kill", &tool).ended().ends(159);
    restricted
        .with("no-exec=kill", &format!("{tool} --static"))
        .ended()
        .ends(0)
        .matches("alive at once|growth");
}

#[test]
fn an_exchange_on_a_read_only_slot_faults() {
    let restricted = Restricted::new("seal");
    line!("gcc -O2 -Wall -Wextra -Werror {PROGRAMS}/seal.c -o {}/seal", restricted.out).passes();
    println!("{}", line!("{}/seal", restricted.out).passes().text);
}

/// Every function, abandoned hosts, threads with signals and forks.
#[test]
fn c_programs_work_under_each_restriction() {
    let restricted = Restricted::new("c");
    let (out, jumps) = (&restricted.out, test_tools::share(100_000));
    for (program, library) in [("plain", large_library()), ("storm", large_library()), ("hosts", library())] {
        // When a thread is cancelled, glibc loads libgcc_s, which contains code.
        line!(
            "gcc -O2 -w -pthread -DSTUB_STRIDE=32 -Icapi/include capi/tests/programs/c/{program}.c {}/libstatictramp.a \
             -Wl,--no-as-needed -lgcc_s -o {out}/{program}",
            library.display()
        )
        .passes();
    }
    for restriction in &restricted.all {
        restricted.runs(restriction, &format!("{out}/plain"));
        restricted.runs(restriction, &format!("{out}/storm 1 static"));
        // This program also makes the table grow; the GCC hosts do not.
        if !is_static(restriction) {
            restricted.runs(restriction, &format!("{out}/hosts {jumps}"));
        }
    }
}
