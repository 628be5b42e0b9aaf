//! Start-up code, a timer and the second hart for QEMU's RISC-V board.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const TIME: *const u64 = 0x0200_bff8 as *const u64;
const COMPARE: *mut u64 = 0x0200_4000 as *mut u64;
const PERIOD: u64 = 500;

static HANDLER: AtomicUsize = AtomicUsize::new(0);

#[riscv_rt::entry]
fn main(hart: usize) -> ! {
    if hart == 0 { super::run() } else { super::second_core() }
}

// The second hart waits for a software interrupt from the first before it continues, because memory is not ready yet.
// (riscv-rt calls this before any Rust code; it must preserve s0 to s2.)
core::arch::global_asm!(
    ".section .init.mp_hook, \"ax\"",
    ".globl _mp_hook",
    "_mp_hook:",
    "beqz a0, 2f",
    "li t0, 8",
    "csrw mie, t0",
    "1: wfi",
    "csrr t1, mip",
    "andi t1, t1, 8",
    "beqz t1, 1b",
    "csrw mie, zero",
    "li a0, 0",
    "ret",
    "2: li a0, 1",
    "ret",
);

/// The registers that raise the software interrupts of the harts, one word each.
const SOFTWARE_INTERRUPT: *mut u32 = 0x0200_0000 as *mut u32;

/// Wakes the other hart, if two harts can share the table. Without the A extension they cannot, because an exchange is
/// a critical section of one hart.
pub fn start_second_core() -> bool {
    if !cfg!(target_has_atomic = "ptr") {
        return false;
    }
    // SAFETY: this is the register of hart 1 on QEMU's board.
    unsafe { SOFTWARE_INTERRUPT.add(1).write_volatile(1) }
    true
}

/// Makes the timer call a function at each tick.
pub fn start_timer(handler: unsafe extern "C" fn()) {
    HANDLER.store(handler as usize, Relaxed);
    next();
    // SAFETY: the data that the interrupt handler uses is initialized.
    unsafe {
        riscv::register::mie::set_mtimer();
        riscv::interrupt::enable();
    }
}

pub fn stop_timer() {
    riscv::interrupt::disable();
}

fn next() {
    // SAFETY: this is the timer of QEMU's board, which only this file uses.
    unsafe { COMPARE.write_volatile(TIME.read_volatile() + PERIOD) }
}

#[riscv_rt::core_interrupt(riscv::interrupt::Interrupt::MachineTimer)]
fn tick() {
    next();
    // SAFETY: `start_timer` stored a function that stays valid until the timer is stopped.
    unsafe { core::mem::transmute::<usize, extern "C" fn()>(HANDLER.load(Relaxed))() }
}

pub const CODE_BIT: usize = 0;
pub const PROTECTS: bool = true;

/// `ret`
pub const RETURN: [u32; 1] = [0x0000_8067];

/// Makes stored instructions visible to instruction fetches.
pub fn fence() {
    // SAFETY: the instruction has no other effect.
    unsafe { core::arch::asm!("fence.i") }
}

/// Makes all RAM execute-never, also for machine mode, with a locked PMP entry for 8 MiB from 0x8080_0000 on (RISC-V
/// privileged architecture, section 3.7).
pub fn protect() {
    const LOCKED_READ_WRITE: usize = 0x80 | 0x18 | 0x03; // the size is a naturally aligned power of two
    const ADDRESS: usize = 0x8080_0000 >> 2 | (8 * 1024 * 1024 / 8 - 1);
    // SAFETY: the protected memory stays readable and writable, and the program's code is elsewhere.
    unsafe {
        core::arch::asm!("csrw pmpaddr0, {}", "csrw pmpcfg0, {}", in(reg) ADDRESS, in(reg) LOCKED_READ_WRITE)
    }
    fence();
}

/// Handles cause 1, an instruction fetch from execute-never memory.
#[riscv_rt::exception(riscv::interrupt::Exception::InstructionFault)]
fn instruction_fault(_: &riscv_rt::TrapFrame) -> ! {
    super::fetch_fault("mcause", riscv::register::mcause::read().code())
}
