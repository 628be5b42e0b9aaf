//! Start-up code and a timer for the Cortex-M boards.

#[cfg(not(any(armv6m, armv8m)))]
use cortex_m::peripheral::MPU;
#[cfg(not(armv6m))]
use cortex_m::peripheral::SCB;
use cortex_m::peripheral::{SYST, syst::SystClkSource};

/// The vector table in RAM. The address of a handler can be stored there, so the trampoline itself is the handler.
#[cfg(not(armv6m))]
#[repr(C, align(1024))]
struct Vectors([usize; 256]);
#[cfg(not(armv6m))]
static mut VECTORS: Vectors = Vectors([0; 256]);

#[cortex_m_rt::entry]
fn main() -> ! {
    super::run()
}

/// Makes the processor call a function at each tick.
pub fn start_timer(handler: unsafe extern "C" fn()) {
    set_handler(handler);
    // SAFETY: the data that the interrupt handler uses is initialized, and only this file uses the timer.
    let timer: &mut SYST = unsafe { &mut cortex_m::Peripherals::steal().SYST };
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(499);
    timer.clear_current();
    timer.enable_interrupt();
    timer.enable_counter();
}

#[cfg(not(armv6m))]
fn set_handler(handler: unsafe extern "C" fn()) {
    const SYSTICK: usize = 15;
    // SAFETY: there is one core, and the timer is not running yet. The table in flash contains the vectors of this
    // image.
    unsafe {
        let vectors = &raw mut VECTORS.0;
        let in_flash = (*SCB::PTR).vtor.read() as *const usize;
        for number in 0..256 {
            (*vectors)[number] = in_flash.add(number).read_volatile();
        }
        (*vectors)[SYSTICK] = handler as usize;
        (*SCB::PTR).vtor.write(vectors as u32);
    }
}

/// On Armv6-M the vectors are at a fixed address, and the handler there calls the function.
#[cfg(armv6m)]
static HANDLER: core::sync::atomic::AtomicUsize = core::sync::atomic::AtomicUsize::new(0);

#[cfg(armv6m)]
fn set_handler(handler: unsafe extern "C" fn()) {
    HANDLER.store(handler as usize, core::sync::atomic::Ordering::Relaxed);
}

#[cfg(armv6m)]
#[cortex_m_rt::exception]
fn SysTick() {
    let handler = HANDLER.load(core::sync::atomic::Ordering::Relaxed);
    // SAFETY: `set_handler` stored a function that stays valid until the timer is stopped.
    unsafe { core::mem::transmute::<usize, extern "C" fn()>(handler)() }
}

/// This board has no memory protection.
pub fn start_second_core() -> bool {
    false
}

pub fn stop_timer() {
    // SAFETY: only this file uses the timer.
    let timer: &mut SYST = unsafe { &mut cortex_m::Peripherals::steal().SYST };
    timer.disable_interrupt();
    timer.disable_counter();
}

pub const CODE_BIT: usize = 1;
/// Armv6-M processors may have no MPU, and microbit's processor has none. Armv8-M has a different MPU.
pub const PROTECTS: bool = !cfg!(any(armv6m, armv8m));

/// `bx lr`
pub const RETURN: [u16; 2] = [0x4770; 2];

/// Makes stored instructions visible to instruction fetches.
pub fn fence() {
    cortex_m::asm::dsb();
    cortex_m::asm::isb();
}

#[cfg(any(armv6m, armv8m))]
pub fn protect() {}

/// Makes all RAM execute-never, with one MPU region of 512 MiB from 0x2000_0000 on. Other memory is unchanged
/// (Armv7-M ARM, B3.5).
#[cfg(not(any(armv6m, armv8m)))]
pub fn protect() {
    const EXECUTE_NEVER: u32 = 1 << 28;
    const ALL_MAY_WRITE: u32 = 3 << 24;
    const SIZE_512_MIB: u32 = 28 << 1;
    const NORMAL_MEMORY: u32 = 0b111 << 16;
    // SAFETY: there is one core, and there are no interrupts yet. The stack stays readable and writable.
    unsafe {
        (*SCB::PTR).shcsr.modify(|bits| bits | 1 << 16); // memory faults have their own handler
        (*MPU::PTR).rnr.write(0);
        (*MPU::PTR).rbar.write(0x2000_0000);
        (*MPU::PTR).rasr.write(EXECUTE_NEVER | ALL_MAY_WRITE | NORMAL_MEMORY | SIZE_512_MIB | 1);
        (*MPU::PTR).ctrl.write(0b101);
    }
    fence();
}

/// CFSR bit 0: an instruction fetch from execute-never memory (IACCVIOL).
#[cfg(not(armv6m))]
#[cortex_m_rt::exception]
fn MemoryManagement() {
    // SAFETY: this only reads a register.
    super::fetch_fault("CFSR", unsafe { (*SCB::PTR).cfsr.read() as usize })
}
