// Arm (A32): the static chain is in r12 (ip), for GCC, and for LLVM if floating-point arguments are passed in
// core registers.
//
// Stub i finds its own slot relative to itself and loads both words at once, the second into pc; the lowest bit of that
// word says whether the entry is Thumb code. The register r12 holds nothing between a call and the callee (AAPCS32,
// section 6.1.1). Every argument register, the stack and the flags arrive at the entry as the caller left them. A
// signal interrupts the stub before or after the load, never within it.
//
//     slot i:  +0 static chain   +4 entry   (stubs do not read the rest)
//
// The build script prepends definitions of SLOTS and SLOT_STRIDE and substitutes the crate's version for VERSION. It
// must assemble under GNU as and under LLVM, so there is no C preprocessor in it.

        .syntax unified
        .arm
        .cfi_sections .debug_frame
        .set    STUB_STRIDE, 16

        .section .text.statictramp,"ax",%progbits
        .balign 64
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, %function
statictramp_VERSION_stubs:
        .fnstart                        // no unwinding through a stub: it is not on the stack
        .cfi_startproc                  // a stub never moves sp: one rule is enough
        .set    i, 0
        .rept   SLOTS
        ldr     r12, 78f
77:     add     r12, pc, r12
        ldm     r12, {r12, pc}
78:     .word   statictramp_VERSION_slots + i * SLOT_STRIDE - (77b + 8)
        .set    i, i + 1
        .endr
        .cfi_endproc
        .cantunwind
        .fnend
        .size   statictramp_VERSION_stubs, . - statictramp_VERSION_stubs
        .hidden statictramp_VERSION_stubs_end
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:
