//! `landing-pads FILE`: checks that an x86-64 file keeps the promise of its note (IBT). Each address in its code that
//! is stored or taken must be that of an `endbr64`, and each exported function must begin with one. No jump may use a
//! jump table.

use crate::{Outcome, output, print, regex, usage};
use std::collections::HashSet;
use std::ops::Range;

/// If fewer addresses than this are found, the search is wrong.
const FEWEST: usize = 10;

pub fn run(arguments: &[&str]) -> Outcome {
    let [file] = arguments else { return Err(usage("FILE")) };
    let mut errors = Vec::new();
    let mut pads = HashSet::new();
    let mut taken: Vec<(u64, u64, String)> = Vec::new();

    let head = regex(r"^[0-9a-f]+ <(.*)>:");
    let instruction = regex(r"^ *([0-9a-f]+):\t(\S*) *(.*)");
    let comment = regex(r"# ([0-9a-f]+)");
    let mut function = String::new();
    for line in output("objdump", &["-d", "--no-show-raw-insn", file])?.lines() {
        if let Some(found) = head.captures(line) {
            function = found[1].to_owned();
        }
        let Some(found) = instruction.captures(line) else { continue };
        let (at, what, rest) = (hex(&found[1]), &found[2], &found[3]);
        if what == "endbr64" {
            pads.insert(at);
        }
        if what.starts_with("lea")
            && let Some(found) = comment.captures(rest)
        {
            taken.push((at, hex(&found[1]), "lea".to_owned()));
        }
        // The C compiler's own function jumps through a register, and so does the tail call to the function that
        // reclaims slots, whose address is among those that must have a landing pad.
        let is_allowed =
            ["register_tm_clones", "reclaim7pointer9make_room"].iter().any(|name| function.contains(name));
        if what == "jmp" && rest.starts_with("*%r") && !is_allowed {
            errors.push(format!("{file}: a jump through a register at {at:x}: {what} {rest}"));
        }
    }
    let relocation = regex(r"^([0-9a-f]+) .*R_X86_64_(?:RELATIVE|IRELATIV) +([0-9a-f]+)");
    for line in output("readelf", &["-rW", file])?.lines() {
        if let Some(found) = relocation.captures(line) {
            taken.push((hex(&found[1]), hex(&found[2]), "relocation".to_owned()));
        }
    }
    let export = regex(r": ([0-9a-f]+) +\d+ FUNC +GLOBAL +\w+ +\d+ (\S+)");
    for line in output("readelf", &["-sW", "--dyn-syms", file])?.lines() {
        if let Some(found) = export.captures(line).filter(|found| hex(&found[1]) != 0) {
            taken.push((0, hex(&found[1]), format!("export {}", &found[2])));
        }
    }
    let code = code(file)?;
    taken.retain(|(_, to, _)| code.contains(to));
    if taken.len() < FEWEST {
        return Err(format!("{file}: no address of code is taken: this search finds nothing"));
    }
    let without = taken.iter().filter(|(_, to, _)| !pads.contains(to));
    errors
        .extend(without.map(|(from, to, how)| {
            format!("{file}: {how} at {from:x} leads to {to:x}, where no endbr64 is")
        }));
    if !errors.is_empty() {
        return Err(errors.join("\n"));
    }
    print(&format!("{file}: {} places that may be jumped to, each with a landing pad\n", taken.len()))
}

/// Returns the addresses of the section with the code.
fn code(file: &str) -> Result<Range<u64>, String> {
    let section = regex(r"\] \.text +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)");
    let sections = output("readelf", &["-SW", file])?;
    let found = section.captures(&sections).ok_or_else(|| format!("{file}: no section .text"))?;
    Ok(hex(&found[1])..hex(&found[1]) + hex(&found[2]))
}

fn hex(digits: &str) -> u64 {
    u64::from_str_radix(digits, 16).expect("the regular expression admits only hexadecimal digits")
}
