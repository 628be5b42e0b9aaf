// Thumb-2 (Armv7-M, Armv8-M mainline): GCC passes the static chain in r12 (ip). LLVM does the same if floating-point arguments
// are passed in core registers.
//
// Stub i contains its slot's address, which the linker fills in. One instruction loads the static chain into r12 and the
// entry into pc. The register r12 holds no live value at function entry (AAPCS32, section 6.1.1). Every argument
// register, the stack and the flags reach the entry as the caller left them. If an interrupt arrives during the load, the
// load restarts from the beginning, because the base register is one of the registers loaded (Armv7-M ARM, B1.5.10).
//
//     slot i:  +0 static chain   +4 entry, with the Thumb bit   (stubs do not read the rest)
//
// The build script prepends definitions of SLOTS and SLOT_STRIDE and substitutes the crate's version for VERSION. Both GNU `as`
// and LLVM must accept this file, so it does not use the C preprocessor.

        .syntax unified
        .thumb
        .cfi_sections .debug_frame

        .set    STUB_STRIDE, 16

        .section .text.statictramp,"ax",%progbits
        .balign 16
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, %object      // a function's address would have the Thumb bit
statictramp_VERSION_stubs:
        .fnstart                        // nothing unwinds through a stub, because a stub has no frame
        .cfi_startproc                  // no stub moves sp, so one unwinding rule is enough
        .set    i, 0
        .rept   SLOTS
        .if     i * SLOT_STRIDE < 0x8000
        movw    r12, #:lower16:(statictramp_VERSION_slots + i * SLOT_STRIDE)
        movt    r12, #:upper16:(statictramp_VERSION_slots + i * SLOT_STRIDE)
        ldm.w   r12, {r12, pc}
        .else                           // the addend of a movw/movt relocation is a signed 16-bit number
        ldr.w   r12, 77f
        ldm.w   r12, {r12, pc}
77:     .word   statictramp_VERSION_slots + i * SLOT_STRIDE
        .endif
        udf     #0                      // execution never falls through to the next stub
        udf     #0
        .set    i, i + 1
        .endr
        .cfi_endproc
        .cantunwind
        .fnend
        .size   statictramp_VERSION_stubs, . - statictramp_VERSION_stubs
        .hidden statictramp_VERSION_stubs_end
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:
