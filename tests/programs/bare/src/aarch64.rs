//! Handwritten start-up code and a timer for QEMU's AArch64 board. The MMU is off, so no memory is execute-never.

use core::arch::{asm, global_asm};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

pub const CODE_BIT: usize = 0;
pub const PROTECTS: bool = false;

/// `ret`
pub const RETURN: [u32; 1] = [0xd65f_03c0];

// Exception level 1, with its own stack pointer. The interrupt vector saves the call-clobbered registers (AAPCS64,
// section 6.1.1). Every other exception ends the program.
global_asm!(
    ".section .text.boot, \"ax\"",
    ".globl _start",
    "_start:",
    "adrp x0, _stack_top",
    "add x0, x0, :lo12:_stack_top",
    "mov sp, x0",
    "mov x0, #(3 << 20)", // floating-point registers may be used
    "msr cpacr_el1, x0",
    "adrp x0, vectors",
    "add x0, x0, :lo12:vectors",
    "msr vbar_el1, x0",
    "isb",
    "adrp x0, _bss_start",
    "add x0, x0, :lo12:_bss_start",
    "adrp x1, _bss_end",
    "add x1, x1, :lo12:_bss_end",
    "1: cmp x0, x1",
    "b.hs 2f",
    "str xzr, [x0], #8",
    "b 1b",
    "2: bl {main}",
    ".balign 2048",
    "vectors:",
    ".rept 4",
    "b {unexpected}",
    ".balign 128",
    ".endr",
    "b {unexpected}", // the level's own stack pointer: synchronous
    ".balign 128",
    "b interrupt",
    ".balign 128",
    ".rept 10",
    "b {unexpected}",
    ".balign 128",
    ".endr",
    "interrupt:",
    "sub sp, sp, #(20 * 8 + 2 * 8 + 32 * 16)",
    "stp x0, x1, [sp, #0]",
    "stp x2, x3, [sp, #16]",
    "stp x4, x5, [sp, #32]",
    "stp x6, x7, [sp, #48]",
    "stp x8, x9, [sp, #64]",
    "stp x10, x11, [sp, #80]",
    "stp x12, x13, [sp, #96]",
    "stp x14, x15, [sp, #112]",
    "stp x16, x17, [sp, #128]",
    "stp x18, x30, [sp, #144]",
    "mrs x0, elr_el1",
    "mrs x1, spsr_el1",
    "stp x0, x1, [sp, #160]",
    "add x0, sp, #176",
    "st1 {{v0.2d, v1.2d, v2.2d, v3.2d}}, [x0], #64",
    "st1 {{v4.2d, v5.2d, v6.2d, v7.2d}}, [x0], #64",
    "st1 {{v16.2d, v17.2d, v18.2d, v19.2d}}, [x0], #64",
    "st1 {{v20.2d, v21.2d, v22.2d, v23.2d}}, [x0], #64",
    "st1 {{v24.2d, v25.2d, v26.2d, v27.2d}}, [x0], #64",
    "st1 {{v28.2d, v29.2d, v30.2d, v31.2d}}, [x0]",
    "bl {tick}",
    "add x0, sp, #176",
    "ld1 {{v0.2d, v1.2d, v2.2d, v3.2d}}, [x0], #64",
    "ld1 {{v4.2d, v5.2d, v6.2d, v7.2d}}, [x0], #64",
    "ld1 {{v16.2d, v17.2d, v18.2d, v19.2d}}, [x0], #64",
    "ld1 {{v20.2d, v21.2d, v22.2d, v23.2d}}, [x0], #64",
    "ld1 {{v24.2d, v25.2d, v26.2d, v27.2d}}, [x0], #64",
    "ld1 {{v28.2d, v29.2d, v30.2d, v31.2d}}, [x0]",
    "ldp x0, x1, [sp, #160]",
    "msr elr_el1, x0",
    "msr spsr_el1, x1",
    "ldp x2, x3, [sp, #16]",
    "ldp x4, x5, [sp, #32]",
    "ldp x6, x7, [sp, #48]",
    "ldp x8, x9, [sp, #64]",
    "ldp x10, x11, [sp, #80]",
    "ldp x12, x13, [sp, #96]",
    "ldp x14, x15, [sp, #112]",
    "ldp x16, x17, [sp, #128]",
    "ldp x18, x30, [sp, #144]",
    "ldp x0, x1, [sp, #0]",
    "add sp, sp, #(20 * 8 + 2 * 8 + 32 * 16)",
    "eret",
    main = sym main,
    tick = sym tick,
    unexpected = sym unexpected,
);

extern "C" fn main() -> ! {
    super::run()
}

extern "C" fn unexpected() -> ! {
    panic!("an exception that nothing here should cause")
}

/// The interrupt controller: its distributor and the processor's interface (GICv2).
const DISTRIBUTOR: usize = 0x0800_0000;
const INTERFACE: usize = 0x0801_0000;
/// The timer of exception level 1.
const TIMER: u32 = 30;
const PERIOD: u64 = 3000;

static HANDLER: AtomicUsize = AtomicUsize::new(0);

fn set(register: usize, value: u32) {
    // SAFETY: this is a register of the interrupt controller, which only this file uses.
    unsafe { (register as *mut u32).write_volatile(value) }
}

/// Makes the timer call a function at each tick.
pub fn start_timer(handler: unsafe extern "C" fn()) {
    HANDLER.store(handler as usize, Relaxed);
    set(DISTRIBUTOR, 1);
    set(DISTRIBUTOR + 0x100, 1 << TIMER);
    set(INTERFACE + 4, 0xff);
    set(INTERFACE, 1);
    // SAFETY: the data that the interrupt handler uses is initialized.
    unsafe {
        asm!("msr cntp_tval_el0, {}", "msr cntp_ctl_el0, {}", "msr daifclr, #2", in(reg) PERIOD, in(reg) 1u64);
    }
}

/// This board has no memory protection.
pub fn start_second_core() -> bool {
    false
}

pub fn stop_timer() {
    // SAFETY: this only disables interrupts.
    unsafe { asm!("msr daifset, #2") }
}

extern "C" fn tick() {
    // SAFETY: this acknowledges the interrupt, as the controller requires.
    let which = unsafe { ((INTERFACE + 0xc) as *const u32).read_volatile() };
    // SAFETY: only this file uses the timer. `start_timer` stored a function that stays valid until the timer is
    // stopped.
    unsafe {
        asm!("msr cntp_tval_el0, {}", in(reg) PERIOD);
        core::mem::transmute::<usize, extern "C" fn()>(HANDLER.load(Relaxed))();
    }
    set(INTERFACE + 0x10, which);
}

/// Makes stored instructions visible to instruction fetches.
pub fn fence() {
    // SAFETY: the instructions have no other effect.
    unsafe { asm!("dsb sy", "ic iallu", "dsb sy", "isb") }
}

pub fn protect() {}
