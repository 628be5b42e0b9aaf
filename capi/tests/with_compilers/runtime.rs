//! Tests of compiled code at run time: abandoned hosts, signal handlers, fibers and every limit. Also runs the C
//! programs under AddressSanitizer and ThreadSanitizer.

use test_tools::{Ended, Expect, Job, is_root, library, library_archive, line, new_directory, share};

const FLAGS: &str = "-O2 -g -w -Icapi/include -pthread";
const PROGRAMS: &str = "capi/tests/programs/runtime";
const COMPILERS: [&str; 2] = ["gcc", "clang-19"];

struct Built {
    out: String,
    archive: String,
    shared: String,
}

impl Built {
    fn new(name: &str) -> Built {
        let library = library();
        Built {
            out: new_directory(&format!("runtime/{name}")).display().to_string(),
            archive: library_archive(),
            shared: format!("-L{0} -lstatictramp -Wl,-rpath,{0}", library.display()),
        }
    }

    /// Compiles a program as `OUT/NAME`.
    #[track_caller]
    fn compile(&self, compiler: &str, program: &str, linked: &str, name: &str) {
        line!("{compiler} {FLAGS} {PROGRAMS}/{program}.c {linked} -o {}/{name}", self.out).passes();
    }

    #[track_caller]
    fn runs(&self, before: &str, words: &str) -> Ended {
        Job::from(line!("prlimit --core=0 {before} {}/{words}", self.out)).within(300).ended().ends(0)
    }
}

/// Returns the prlimit option that limits the stack to this many kilobytes.
fn stack(limit: &str) -> String {
    let limit = limit.parse::<u64>().map_or("unlimited".to_owned(), |limit| (limit * 1024).to_string());
    format!("--stack={limit}:")
}

#[test]
fn hosts_work_on_every_stack_in_every_layout() {
    let built = Built::new("stacks");
    let (archive, shared) = (&built.archive, &built.shared);
    built.compile("gcc", "stacks", archive, "stacks");
    built.compile("clang-19 -no-pie", "stacks", archive, "stacks-no-pie");
    built.compile("gcc -static", "stacks", archive, "stacks-static");
    built.compile("clang-19", "stacks", shared, "stacks-shared");
    let large = "x".repeat(100_000);
    for program in ["stacks", "stacks-no-pie", "stacks-static", "stacks-shared"] {
        for limit in ["256", "8192", "4000000", "unlimited"] {
            for layout in ["", "setarch -L", "setarch -R", "setarch -L -R"] {
                for folder in ["main", "thread"] {
                    built.runs(&format!("{} {layout}", stack(limit)), &format!("{program} {folder}"));
                }
            }
        }
        line!("{}/{program}", built.out).env("BIG", &large).env("BIGGER", &large).within(300).ended().ends(0);
        built.runs("", &format!("{program} blocked nothing-comes-back"));
    }
    if is_root("without /proc") {
        let program = format!("{}/stacks", built.out);
        let script =
            format!("mount -t tmpfs none /proc && {program} main nothing-comes-back && {program} thread");
        line!("unshare --mount sh -c").arg(script).within(300).ended().ends(0);
    }
}

/// Also tests every kind of child process, allocators that create trampolines, and GCC's calls in separate functions.
#[test]
fn stacks_in_several_mappings_and_coroutines_in_thread_local_variables_work() {
    let built = Built::new("mappings");
    for choice in ["gcc -O2", "clang-19 -O0 -static"] {
        for program in ["split", "locals", "children", "allocator", "apart", "deep", "strict"] {
            built.compile(choice, program, &built.archive, program);
        }
        for manner in ["mlock", "dontdump", "hugepage", "mprotect"] {
            built.runs("", &format!("split {manner}"));
            built.runs("", &format!("split {manner} learned-before"));
        }
        for program in ["split neighbour", "locals", "children", "allocator", "apart", "strict"] {
            built.runs("", program);
        }
        if is_root("as the first process") {
            built.runs("unshare --pid --fork --kill-child", "children process-1");
        }
        for limit in ["unlimited", "1000000"] {
            built.runs(&stack(limit), "deep");
        }
    }
}

#[test]
fn returning_and_abandoned_hosts_may_alternate() {
    let built = Built::new("turns");
    for level in ["-O0", "-O2"] {
        built.compile("gcc", "turns", &format!("{level} {}", built.archive), "turns");
        println!("{}", built.runs("", "turns").text);
    }
}

/// In signal handlers, malloc is not called, and no live slot is reclaimed. Tests nested functions through GCC's
/// interface with jumps, inlined hosts, interruptions, cancelled threads, and stacks that another thread reuses.
#[test]
fn signal_handlers_nested_functions_and_cancelled_threads_keep_live_slots() {
    let built = Built::new("handlers");
    let jumps = share(2_000_000);
    for compiler in COMPILERS {
        for level in ["-O0", "-O2"] {
            for program in ["handlers", "nested", "cancelled"] {
                for (option, linked) in
                    [("", &built.archive), ("", &built.shared), ("-static", &built.archive)]
                {
                    // The last -O option takes effect, so this level comes after the one in FLAGS.
                    built.compile(compiler, program, &format!("{level} {option} {linked}"), program);
                    built.runs("", &format!("{program} {jumps}"));
                }
            }
        }
    }
}

/// Reports of races concern the programs: the library itself is not instrumented. A frame's variables may be on the heap
/// (detect_stack_use_after_return, clang's default). The chain then does not identify an abandoned host, whose slots
/// stay live. Only GCC's interface is tested, because it identifies the host by its stack address.
#[test]
fn sanitizers_report_no_errors() {
    let built = Built::new("sanitized");
    let jumps = share(2_000_000);
    for compiler in COMPILERS {
        for sanitizer in ["address", "thread"] {
            for program in ["plain", "hosts", "storm", "grow", "generations", "nested", "cancelled", "stacks"]
            {
                let folder = if ["nested", "cancelled", "stacks"].contains(&program) {
                    PROGRAMS
                } else {
                    "capi/tests/programs/c"
                };
                line!(
                    "{compiler} {FLAGS} -DSTUB_STRIDE=32 -DSANITIZED -fsanitize={sanitizer} {folder}/{program}.c {} -o {}/{program}",
                    built.archive,
                    built.out
                )
                .passes();
            }
            let runs = |after_return: u8, words: &str| {
                let options =
                    format!("ASAN_OPTIONS=detect_stack_use_after_return={after_return}:detect_leaks=0");
                built.runs(&format!("env {options} TSAN_OPTIONS=die_after_fork=0"), words);
            };
            runs(0, "plain");
            runs(0, &format!("hosts {}", jumps / 20));
            runs(0, &format!("storm {}", share(20) + 1));
            runs(0, "grow 3000");
            runs(0, &format!("generations {}/libstatictramp.so.0", library().display()));
            runs(0, &format!("nested {}", jumps / 10));
            runs(0, "cancelled");
            runs(0, "stacks");
            if sanitizer == "address" {
                runs(1, "nested 1000 given-up");
                runs(1, "nested 1000 interrupted");
            }
        }
    }
}
