//! The words of the thread that closures' addresses pass through (`src/arch/in_thread.rs`), where there are some: as they
//! are in the handler of a signal that came while one was on its way.

/// The words: an address that is on its way, or 0, and where the one before it is kept.
#[cfg(all(target_os = "linux", not(any(target_arch = "x86_64", target_arch = "x86"))))]
fn words() -> Option<*mut [usize; 2]> {
    let words: *mut [usize; 2];
    // SAFETY: computes an address, that of a symbol of this program.
    unsafe {
        #[cfg(target_arch = "aarch64")]
        core::arch::asm!(
            "adrp {0}, :gottprel:statictramp_0_1_pending",
            "ldr {0}, [{0}, :gottprel_lo12:statictramp_0_1_pending]",
            "mrs {1}, tpidr_el0",
            "add {0}, {0}, {1}",
            out(reg) words, out(reg) _,
        );
        #[cfg(target_arch = "powerpc64")]
        core::arch::asm!(
            "bcl 20, 31, 77f",
            "77: mflr {0}",
            "mr {1}, 2",
            "addis 2, {0}, (.TOC. - 77b)@ha",
            "addi 2, 2, (.TOC. - 77b)@l",
            "addis {0}, 2, statictramp_0_1_pending@got@tprel@ha",
            "ld {0}, statictramp_0_1_pending@got@tprel@l({0})",
            "mr 2, {1}",
            "add {0}, {0}, statictramp_0_1_pending@tls",
            out(reg_nonzero) words, out(reg) _, out("lr") _,
        );
        #[cfg(target_arch = "riscv64")]
        core::arch::asm!("la.tls.ie {0}, statictramp_0_1_pending", "add {0}, {0}, tp", out(reg) words);
        #[cfg(target_arch = "s390x")]
        core::arch::asm!(
            "lgrl {0}, statictramp_0_1_pending@indntpoff",
            "ear {1}, %a0",
            "sllg {1}, {1}, 32",
            "ear {1}, %a1",
            "agr {0}, {1}",
            out(reg) words, out(reg) _,
        );
        #[cfg(target_arch = "arm")]
        core::arch::asm!(
            "bl __aeabi_read_tp",
            "ldr {0}, 3f",
            "2: ldr {0}, [pc, {0}]",
            "add r0, r0, {0}",
            "b 4f",
            "3: .word statictramp_0_1_pending(gottpoff) + (. - (2b + 8))",
            "4:",
            out(reg) _, out("r0") words, out("r12") _, out("lr") _,
        );
    }
    Some(words)
}
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
fn words() -> Option<*mut [usize; 2]> {
    None
}

/// Runs `f`, once with nothing on its way, and once as in a handler that has come between. Whatever was on its way is
/// again when it is back.
pub fn at_rest_and_between(mut f: impl FnMut()) {
    f();
    let Some(words) = words() else { return };
    let interrupted = [0x1001, 0x2002];
    // SAFETY: this thread's words, which only calls of closures use besides; nobody follows these addresses.
    unsafe {
        assert_eq!(words.read_volatile(), [0, 0], "nothing is on its way after a call");
        words.write_volatile(interrupted);
        f();
        assert_eq!(words.read_volatile(), interrupted, "what a signal has interrupted finds its address");
        words.write_volatile([0, 0]);
    }
}
