//! Misuse that is detected only at run time. Each test runs in its own process, which prints a message and aborts.

use statictramp::InPlace;
use std::cell::RefCell;
use std::process::{Command, ExitStatus};

/// Returns a command that runs this test program again. If the kernel cannot run it, the command in
/// STATICTRAMP_RUNNER (words separated by blanks) runs it.
fn this_program() -> Command {
    let this = std::env::current_exe().unwrap();
    let runner = std::env::var("STATICTRAMP_RUNNER").unwrap_or_default();
    let mut words = runner.split_whitespace();
    let Some(first) = words.next() else { return Command::new(this) };
    let mut command = Command::new(first);
    command.args(words).arg(this);
    command
}

/// Returns whether the process was ended by SIGABRT.
#[cfg(unix)]
fn aborted(status: ExitStatus) -> bool {
    std::os::unix::process::ExitStatusExt::signal(&status) == Some(libc::SIGABRT)
}

/// Returns whether the process was ended by `__fastfail`, whose status is STATUS_STACK_BUFFER_OVERRUN for every reason.
#[cfg(windows)]
fn aborted(status: ExitStatus) -> bool {
    status.code() == Some(0xc000_0409_u32 as i32)
}

/// Runs the named part below in its own process. Returns its message, and checks that the process aborted.
fn dies(part: &str) -> String {
    let output = this_program()
        .args(["--exact", "ends::misuse_aborts_the_child_process", "--nocapture"])
        .env("STATICTRAMP_PART", part)
        .output()
        .unwrap();
    assert!(aborted(output.status), "{part}: {output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs the named part, and returns the line that the library printed.
fn line_of(part: &str) -> String {
    let message = dies(part);
    message.lines().find(|line| line.starts_with("statictramp: ")).expect("a line").to_string()
}

/// Three nested closures, each of which captures the next one.
mod a_module_of_which_the_name_is_long {
    fn around<F: Fn(u32) -> u32>(f: F) -> impl Fn(u32) -> u32 {
        move |x| f(x)
    }
    pub fn of_a_function_of_which_the_name_is_long_too() -> impl Fn(u32) -> u32 {
        around(around(around(around(around(around(around(around(|x| x))))))))
    }
}

#[test]
fn misuse_aborts_the_child_process() {
    match std::env::var("STATICTRAMP_PART").as_deref() {
        Ok("waits for itself") => {
            static CALL: std::sync::OnceLock<extern "C" fn(u32)> = std::sync::OnceLock::new();
            let mut depth = 0;
            let again = statictramp::leaked_safe_fn(statictramp::synchronized(move |x: u32| {
                depth += x;
                CALL.get().unwrap()(depth);
            }));
            CALL.get_or_init(|| again.unwrap())(1);
        }
        Ok("another thread") => {
            let count = std::rc::Rc::new(7);
            let once = statictramp::one_shot(statictramp::same_thread(move |x: i32| x + *count)).unwrap();
            // SAFETY: the only call; `same_thread` checks the thread.
            let _ = std::thread::spawn(move || unsafe { once(2) }).join();
        }
        Ok("reentered") => {
            static POINTER: std::sync::OnceLock<unsafe extern "C" fn(u32) -> u32> =
                std::sync::OnceLock::new();
            let mut depth = 0;
            let closure = statictramp::by_mut(move |x: u32| {
                depth += 1;
                // SAFETY: the callback is alive.
                unsafe { POINTER.get().unwrap()(x + depth) }
            });
            let bound = statictramp::bind(&closure).unwrap();
            POINTER.set(bound.as_fn()).unwrap();
            bound.call((1,));
        }
        Ok("twice") => {
            let closure = statictramp::once(|| ());
            let bound = statictramp::bind(&closure).unwrap();
            bound.call(());
            bound.call(());
        }
        Ok("nobody reads") => {
            #[cfg(unix)]
            // SAFETY: this restores the default action, with which C programs start.
            unsafe {
                libc::signal(libc::SIGPIPE, libc::SIG_DFL)
            };
            let closure = statictramp::once(|| ());
            let bound = statictramp::bind(&closure).unwrap();
            bound.call(());
            bound.call(());
        }
        Ok("panic") => {
            let closure = |x: u32| assert!(x > 5);
            let bound = statictramp::bind(&closure).unwrap();
            // SAFETY: the callback is alive.
            let _ = std::panic::catch_unwind(|| unsafe { bound.as_fn()(1) });
            println!("went on");
        }
        Ok("dead") => {
            let closure = |x: u32| x;
            let f = statictramp::bind(&closure).unwrap().as_fn();
            // SAFETY: the contract is violated on purpose, because the test checks that this is detected.
            unsafe { f(1) };
        }
        Ok("taken out of itself") => {
            thread_local!(static GUARD: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) });
            let bound = statictramp::boxed(|| GUARD.take().unwrap()()).unwrap();
            let f = bound.as_fn();
            GUARD.set(Some(Box::new(|| {
                let _closure = bound.into_inner();
            })));
            // SAFETY: the guard is alive when the call begins.
            unsafe { f() };
        }
        Ok("dead, of a function") => {
            extern "C" fn former_callee() {}
            let trampoline =
                statictramp::Trampoline::new(former_callee as *const (), core::ptr::null_mut()).unwrap();
            // SAFETY: this is the address of a function.
            let f = unsafe { core::mem::transmute::<*const (), extern "C" fn()>(trampoline.as_ptr()) };
            drop(trampoline);
            f();
        }
        Ok("long name") => {
            let closure = a_module_of_which_the_name_is_long::of_a_function_of_which_the_name_is_long_too();
            let f = statictramp::bind(&closure).unwrap().as_fn();
            // SAFETY: the contract is violated on purpose, because the test checks that this is detected.
            unsafe { f(1) };
        }
        Ok("one shot, twice") => {
            let text = String::from("gone");
            let f = statictramp::one_shot(move || drop(text)).unwrap();
            // SAFETY: only the first call is permitted. The second call is the misuse that is tested.
            unsafe { (f(), f()) };
        }
        Ok("one shot, in itself") => {
            static POINTER: std::sync::OnceLock<unsafe extern "C" fn()> = std::sync::OnceLock::new();
            // SAFETY: the contract is violated on purpose, because the test checks that this is detected.
            let f = statictramp::one_shot(|| unsafe { POINTER.get().unwrap()() }).unwrap();
            POINTER.set(f).unwrap();
            // SAFETY: this is the first call.
            unsafe { f() };
        }
        Ok("one shot, panic") => {
            let f = statictramp::one_shot(|| -> () { panic!("in a closure") }).unwrap();
            // SAFETY: this is the only call.
            unsafe { f() };
        }
        Ok("erased, dead") => {
            let f = statictramp::Guard::new(|x: u32| x).unwrap().as_fn();
            // SAFETY: the contract is violated on purpose, because the test checks that this is detected.
            unsafe { f(1) };
        }
        Ok("leaked, dead") => {
            let f = statictramp::leaked_safe_fn(|x: u32| x).unwrap();
            // SAFETY: the closure was leaked, and no other code frees it.
            unsafe { statictramp::free(f as *const ()) }.unwrap();
            f(1);
        }
        Ok("in place, dead") => {
            let mut closure = Box::pin(InPlace::new(|x: u32| x));
            let f = statictramp::InPlace::bind(closure.as_mut()).unwrap();
            drop(closure);
            // SAFETY: the contract is violated on purpose, because the test checks that this is detected.
            unsafe { f(1) };
        }
        Ok("freed behind its owner") => {
            let closure = |x: u32| x;
            let bound = statictramp::bind(&closure).unwrap();
            // SAFETY: the contract is violated on purpose, because the test checks that this is detected.
            unsafe { statictramp::free(bound.trampoline().as_ptr()) }.unwrap();
            let _reused = statictramp::bind(&closure).unwrap();
            drop(bound);
        }
        _ => {}
    }
}

#[test]
fn misuse_at_run_time_aborts_with_a_message() {
    let made_at = |kind: &str| {
        let made = format!("statictramp::{kind}(");
        let line = include_str!("ends.rs").lines().position(|line| line.contains(&made)).unwrap() + 1;
        format!(
            ": closures::ends::misuse_aborts_the_child_process::{{{{closure}}}}, made at tests/closures/ends.rs:{line}"
        )
    };
    let line = line_of("reentered");
    assert!(line.contains("was called during another call") && line.ends_with(&made_at("by_mut")), "{line}");
    let line = line_of("twice");
    assert!(
        line.contains("can be called only once was called again") && line.ends_with(&made_at("once")),
        "{line}"
    );
    let message = dies("panic");
    // On 64-bit SPARC, depending on the generated code, the call may be missing from the call-site table of the function that
    // cannot unwind. std's personality routine then returns error 3 (_URC_FATAL_PHASE1_ERROR), and std aborts with another message.
    let is_reported_by_unwinder =
        cfg!(target_arch = "sparc64") && message.contains("failed to initiate panic");
    assert!(
        message.contains("panic in a function that cannot unwind") || is_reported_by_unwinder,
        "{message}"
    );
    let line = line_of("dead");
    assert!(line.contains(": slot ") && line.contains("former callee 0x"), "{line}");
    if cfg!(any(target_os = "linux", windows, portable)) {
        let bound_at = |part: &str| {
            let mut lines = include_str!("ends.rs").lines().enumerate();
            lines.find(|(_, line)| line.contains(&format!("Ok({part:?})"))).unwrap();
            let (line, _) = lines.find(|(_, line)| line.contains("statictramp::")).unwrap();
            format!(", bound at tests/closures/ends.rs:{})", line + 1)
        };
        assert!(
            line.ends_with(
                &(" (closures::ends::misuse_aborts_the_child_process::{{closure}}".to_string()
                    + &bound_at("dead"))
            ),
            "{line}"
        );
        if cfg!(target_os = "linux") && cfg!(not(portable)) {
            let line = line_of("dead, of a function");
            let name = " (closures::ends::misuse_aborts_the_child_process::former_callee)";
            assert!(line.ends_with(name), "{line}");
        }
        let line = line_of("long name"); // a long name does not truncate the message
        let end = "{{closure}}>::{{closure}}".to_string() + &bound_at("long name");
        assert!(line.len() > 600 && line.ends_with(&end), "{line}");
        for part in ["erased, dead", "one shot, twice", "leaked, dead", "in place, dead"] {
            let line = line_of(part);
            assert!(
                line.contains("call through a freed trampoline: slot ") && line.ends_with(&bound_at(part)),
                "{line}"
            );
        }
    }
    assert!(dies("erased, dead").contains("call through a freed trampoline: slot "));
    assert!(dies("one shot, twice").contains("call through a freed trampoline: slot "));
    assert!(dies("one shot, in itself").contains("can be called only once was called again"));
    assert!(dies("one shot, panic").contains("panic in a function that cannot unwind"));
    assert!(dies("taken out of itself").contains("was taken out of its guard during a call"));
    dies_unread();
    assert!(
        dies("freed behind its owner")
            .contains("was freed through its address while its owner still held it")
    );
}

/// Checks that the process aborts, instead of receiving SIGPIPE, even if its message has no reader.
fn dies_unread() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = this_program();
    command
        .args(["--exact", "ends::misuse_aborts_the_child_process", "--nocapture"])
        .env("STATICTRAMP_PART", "nobody reads");
    let status = command.stdout(std::process::Stdio::null()).stderr(writer).status().unwrap();
    assert!(aborted(status), "{status:?}");
}

#[test]
fn a_synchronized_closure_aborts_instead_of_waiting_for_itself() {
    let line = line_of("waits for itself");
    assert!(
        line.contains("(synchronized) was called during another call on the same thread: closures::ends::"),
        "{line}"
    );
}

#[test]
fn a_same_thread_closure_aborts_on_other_threads() {
    let line = line_of("another thread");
    assert!(
        line.contains("on another thread than the one that made it (same_thread): closures::ends::"),
        "{line}"
    );
}
