//! The default command, which prints and verifies the properties of this build and machine.

use crate::print::Print;
use crate::{kernel, selftest};

/// Prints the report. If `only_static` is true, the table does not grow, and no writable and executable memory is
/// requested.
///
/// # Errors
/// Returns an error message if a check fails.
pub fn print(only_static: bool, json: bool) -> Result<(), String> {
    let restriction = kernel::deny_writable_and_executable();
    let layout = statictramp::layout();
    let mut print = Print::new(json);

    print.heading("this build");
    print.row("trampolines", "slots", layout.slots, &layout.slots.to_string());
    let bytes = |count: usize| format!("{count} bytes");
    print.row("a stub, in code", "stub_stride", layout.stub_stride, &bytes(layout.stub_stride));
    print.row("a slot, in data", "slot_stride", layout.slot_stride, &bytes(layout.slot_stride));
    print.row("bookkeeping, all slots", "bookkeeping", layout.bookkeeping, &bytes(layout.bookkeeping));
    let pads = match (layout.landing_pads, std::env::consts::ARCH) {
        (false, _) => "none",
        (true, "aarch64") => "bti c in each stub",
        (true, "x86") => "endbr32 in each stub",
        (true, _) => "endbr64 in each stub",
    };
    print.row("landing pads", "landing_pads", layout.landing_pads, pads);
    let signed = if layout.signed { "checked, if the processor supports this" } else { "no" };
    print.row("signed slots", "signed", layout.signed, signed);
    let freed = if layout.strict_reuse {
        "is reused only when all slots have been used"
    } else {
        "is immediately available to its former callee"
    };
    print.row("a freed slot", "strict_reuse", layout.strict_reuse, freed);

    print.heading("this machine");
    print.row("system", "system", kernel::system(), &kernel::system());
    print.row("page", "page", kernel::page_size(), &bytes(kernel::page_size()));
    let in_force = restriction.is_in_force();
    print.row("no W+X (PR_SET_MDWE)", "no_writable_and_executable", in_force, &restriction.to_string());
    let holds = if only_static { "not tried" } else { kernel::probe(&restriction)? };
    print.row("the rule holds", "probe", holds, holds);

    print.heading("closures as plain function pointers");
    let done = selftest::run(only_static)?;
    print.row(
        "called back from C",
        "calls",
        done.calls,
        &format!("{} times, every result correct", done.calls),
    );
    print.row("alive at once", "alive_at_once", done.most, &format!("{} of {}", done.most, layout.slots));
    match done.grown {
        None => print.row("growth", "grown", (), "not tried (--static)"),
        Some(Ok(most)) => {
            let capacity = statictramp::capacity();
            print.row("alive after growth", "grown", most, &format!("{most} of {capacity}"));
        }
        Some(Err(why)) => print.row("growth", "grown", (), &why.to_string()),
    }
    let left = none_left()?;
    print.row("alive now", "alive_now", left, &left.to_string());
    let mappings = kernel::no_writable_and_executable_mapping();
    match mappings {
        // If /proc is not mounted, the mappings cannot be checked. This is not an error.
        Err(kernel::Mappings::Unreadable(why)) => print.row("mappings W+X", "mappings", (), &why),
        Err(kernel::Mappings::Both(why)) => return Err(why),
        Ok(text) => print.row("mappings W+X", "mappings", text.as_str(), &text),
    }
    print.finish();
    Ok(())
}

fn none_left() -> Result<usize, String> {
    match statictramp::live() {
        0 => Ok(0),
        left => Err(format!("{left} trampolines were not freed")),
    }
}
