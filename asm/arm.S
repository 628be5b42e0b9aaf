// Arm (A32): GCC passes the static chain in r12 (ip). LLVM does the same if floating-point arguments are passed in core
// registers.
//
// Stub i computes the pc-relative address of its own slot. Then one instruction loads the static chain into r12 and the
// entry into pc. The lowest bit of the entry is set if the entry is Thumb code. The register r12 holds no live value at
// function entry (AAPCS32, section 6.1.1). Every argument register, the stack and the flags reach the entry as the
// caller left them. The load is a single instruction, so no signal handler can run when only one of the two words has
// been loaded.
//
//     slot i:  +0 static chain   +4 entry   (stubs do not read the rest)
//
// The build script prepends definitions of SLOTS, LEAD and SLOT_STRIDE and substitutes the crate's version for VERSION. Both GNU
// `as` and LLVM must accept this file, so it does not use the C preprocessor.

        .syntax unified
        .arm
        .cfi_sections .debug_frame
        .set    STUB_STRIDE, 16

        .section .text.statictramp,"ax",%progbits
        .balign 64
        .skip   LEAD            // -fsanitize=function reads the 8 bytes before a function
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, %function
statictramp_VERSION_stubs:
        .fnstart                        // nothing unwinds through a stub, because a stub has no frame
        .cfi_startproc                  // no stub moves sp, so one unwinding rule is enough
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
