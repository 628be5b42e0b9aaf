//! Trampolines on the stacks of a running process, recognised by the bytes that compiled code writes there.
//!
//! A process can have trampolines on its stacks if the stacks are executable, or if no trampoline has been called yet.
//! Bytes are treated as a trampoline if they match a pattern, the callee is in executable memory, and the chain is the
//! address of writable memory. If a thread is blocked in the kernel, its stack pointer is known; the memory below it is
//! not searched, because trampolines there are left over from calls that have returned.

use super::mapping::Mapping;
use crate::audit::report::{Details, Report, tags};
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Step, in bytes, from one read to the next.
const LONGEST_READ: u64 = 1 << 20;
/// Number of bytes by which consecutive reads overlap. A trampoline is shorter.
const SHARED: u64 = 64;
/// Maximum number of bytes read from a process's stacks.
const MOST_BYTES: u64 = 1 << 30;
/// Maximum number of trampolines reported.
const MOST: usize = 1000;

/// A trampoline found on a stack.
struct Trampoline {
    at: u64,
    callee: u64,
    chain: u64,
}

/// A byte pattern in which `None` stands for any byte, and the offsets and widths of the callee and the chain.
struct Pattern {
    bytes: &'static [Option<u8>],
    callee: (usize, usize),
    chain: (usize, usize),
}

/// The stack of a thread, from the stack pointer upwards, or the main thread's whole stack if its stack pointer is
/// unknown.
struct Stack {
    thread: String,
    start: u64,
    end: u64,
    exact: bool,
}

pub fn audit(pid: u32, mappings: &[Mapping], report: &mut Report) {
    let Ok(memory) = File::open(format!("/proc/{pid}/mem")) else {
        return report
            .remark("the process's stacks cannot be read, so they were not searched for trampolines");
    };
    let mut left = MOST_BYTES;
    let mut reported = 0;
    for stack in stacks(pid, mappings) {
        for found in search(&memory, &stack, mappings, &mut left) {
            reported += 1;
            if reported > MOST {
                return report.remark("and more");
            }
            let whether =
                if stack.exact { "" } else { ", which may be left over from a call that has returned" };
            let Trampoline { at, callee, chain } = found;
            report.finding(
                &format!("process {pid}"),
                &tags::PROCESS_TRAMPOLINE,
                &format!("a trampoline is on the stack of thread {}, at {at:#x}: callee {callee:#x}, chain {chain:#x}{whether}", stack.thread),
                Details::Trampoline { thread: stack.thread.clone(), address: at, callee, chain, live: stack.exact },
            );
        }
    }
    if left == 0 {
        report.remark("the process's stacks are too large and were searched only in part");
    }
}

fn stacks(pid: u32, mappings: &[Mapping]) -> Vec<Stack> {
    let around = |address: u64| {
        mappings.iter().find(|it| it.readable && it.writable && (it.start..it.end).contains(&address))
    };
    let mut stacks = Vec::new();
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    for thread in threads {
        let name = thread.file_name().to_string_lossy().into_owned();
        // For a thread that is blocked in the kernel, the line is "number arguments... stack-pointer program-counter".
        let line = std::fs::read_to_string(thread.path().join("syscall")).unwrap_or_default();
        let pointer = line
            .split_whitespace()
            .rev()
            .nth(1)
            .and_then(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok());
        match pointer.and_then(|pointer| Some((pointer, around(pointer)?))) {
            Some((pointer, mapping)) => {
                stacks.push(Stack { thread: name, start: pointer, end: mapping.end, exact: true });
            }
            None if name == pid.to_string() => {
                let main = mappings.iter().find(|it| it.path == b"[stack]");
                stacks.extend(main.map(|it| Stack {
                    thread: name,
                    start: it.start,
                    end: it.end,
                    exact: false,
                }));
            }
            None => {}
        }
    }
    stacks
}

fn search(memory: &File, stack: &Stack, mappings: &[Mapping], left: &mut u64) -> Vec<Trampoline> {
    let mut found: Vec<Trampoline> = Vec::new();
    let mut at = stack.start & !3;
    while at < stack.end && *left > 0 && found.len() <= MOST {
        let len = (LONGEST_READ + SHARED).min(stack.end - at).min(*left);
        *left -= len;
        let mut bytes = vec![0; len as usize];
        let Ok(read) = memory.read_at(&mut bytes, at) else { break };
        bytes.truncate(read);
        for offset in (0..bytes.len()).step_by(2) {
            let address = at + offset as u64;
            let Some(tail) = bytes.get(offset..) else { break };
            let Some((callee, chain)) = trampoline(tail, address) else { continue };
            let into = |address: u64| mappings.iter().find(|it| (it.start..it.end).contains(&address));
            let is_code = into(callee).is_some_and(|it| it.executable);
            let is_data = into(chain).is_some_and(|it| it.writable);
            if is_code && is_data && found.last().is_none_or(|last| last.at != address) {
                found.push(Trampoline { at: address, callee, chain });
            }
        }
        if read as u64 <= SHARED || at + len >= stack.end {
            break;
        }
        at += LONGEST_READ;
    }
    found
}

/// Returns the callee and the chain, if `bytes` begins with a trampoline for this machine.
fn trampoline(bytes: &[u8], address: u64) -> Option<(u64, u64)> {
    let number = |(at, width): (usize, usize)| {
        Some(bytes.get(at..at + width)?.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    };
    let fits = |pattern: &&Pattern| {
        pattern.bytes.len() <= bytes.len()
            && pattern
                .bytes
                .iter()
                .zip(bytes)
                .all(|(wanted, byte)| wanted.is_none_or(|wanted| wanted == *byte))
    };
    let pattern = PATTERNS.iter().find(fits)?;
    let (mut callee, chain) = (number(pattern.callee)?, number(pattern.chain)?);
    if let (Some(0xb9), 4) = (pattern.bytes[0].or(pattern.bytes.get(4).copied().flatten()), pattern.callee.1)
    {
        // On i386, the callee is stored as a distance from the end of the jump.
        callee = address.wrapping_add(pattern.callee.0 as u64 + 4).wrapping_add(callee) & u64::from(u32::MAX);
    }
    Some((callee, chain))
}

/// Creates a pattern from its bytes. `_` stands for any byte, as in the callee or the chain.
macro_rules! pattern {
    (@ _) => { None };
    (@ $byte:literal) => { Some($byte) };
    ([$($byte:tt)*], $callee:expr, $chain:expr) => {
        Pattern { bytes: &[$(pattern!(@ $byte)),*], callee: $callee, chain: $chain }
    };
}

/// Trampolines from GCC and LLVM for x86-64, and for i386 programs that run on x86-64.
#[cfg(target_arch = "x86_64")]
const PATTERNS: &[Pattern] = &[
    pattern!([0x49 0xbb _ _ _ _ _ _ _ _ 0x49 0xba _ _ _ _ _ _ _ _ 0x49 0xff 0xe3], (2, 8), (12, 8)),
    pattern!([0x41 0xbb _ _ _ _ 0x49 0xba _ _ _ _ _ _ _ _ 0x49 0xff 0xe3], (2, 4), (8, 8)),
    pattern!([0xf3 0x0f 0x1e 0xfb 0xb9 _ _ _ _ 0xe9 _ _ _ _], (10, 4), (5, 4)),
    pattern!([0xb9 _ _ _ _ 0xe9 _ _ _ _], (6, 4), (1, 4)),
];
#[cfg(target_arch = "x86")]
const PATTERNS: &[Pattern] = &[
    pattern!([0xf3 0x0f 0x1e 0xfb 0xb9 _ _ _ _ 0xe9 _ _ _ _], (10, 4), (5, 4)),
    pattern!([0xb9 _ _ _ _ 0xe9 _ _ _ _], (6, 4), (1, 4)),
];
/// Trampolines from GCC, with and without `bti c`, and from LLVM.
#[cfg(target_arch = "aarch64")]
const PATTERNS: &[Pattern] = &[
    pattern!([0xb1 0x00 0x00 0x58 0xd2 0x00 0x00 0x58 0x20 0x02 0x1f 0xd6 _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _], (20, 8), (28, 8)),
    pattern!([0x8f 0x00 0x00 0x58 0xb1 0x00 0x00 0x58 0x20 0x02 0x1f 0xd6 _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _], (24, 8), (16, 8)),
];
/// Trampolines from GCC and LLVM: code from both compilers calls the same function to write them.
#[cfg(target_arch = "powerpc64")]
const PATTERNS: &[Pattern] = &[
    pattern!([0x18 0x00 0x6c 0xe9 0x10 0x00 0x8c 0xe9 0xa6 0x03 0x89 0x7d 0x20 0x04 0x80 0x4e _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _], (16, 8), (24, 8)),
];
/// Trampolines from GCC and LLVM.
#[cfg(target_arch = "riscv64")]
const PATTERNS: &[Pattern] = &[
    pattern!([0x97 0x03 0x00 0x00 0x83 0xb2 0x83 0x01 0x83 0xb3 0x03 0x01 0x67 0x80 0x02 0x00 _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _], (24, 8), (16, 8)),
];
/// Trampolines from GCC, in ARM and in Thumb-2 instructions.
#[cfg(target_arch = "arm")]
const PATTERNS: &[Pattern] = &[
    pattern!([0x00 0xc0 0x9f 0xe5 0x00 0xf0 0x9f 0xe5 _ _ _ _ _ _ _ _], (12, 4), (8, 4)),
    pattern!([0xdf 0xf8 0x04 0xc0 0xdf 0xf8 0x04 0xf0 _ _ _ _ _ _ _ _], (12, 4), (8, 4)),
];
#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "x86",
    target_arch = "aarch64",
    target_arch = "powerpc64",
    target_arch = "riscv64",
    target_arch = "arm"
)))]
const PATTERNS: &[Pattern] = &[];
