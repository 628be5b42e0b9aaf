// Thumb-2 (Armv7-M, Armv8-M mainline): the static chain is in r12 (ip), for GCC, and for LLVM if floating-point
// arguments are passed in core registers.
//
// Stub i computes the address of its own slot, which is fixed when the program is linked, and loads both words at once,
// the second into pc. The register r12 holds nothing between a call and the callee (AAPCS32, section 6.1.1); every
// argument register, the stack and the flags arrive at the entry as the caller left them. An interrupt during the load
// restarts it from the beginning, because the base register is one of those loaded (Armv7-M ARM, B1.5.10).
//
//     slot i:  +0 static chain   +4 entry, with the Thumb bit   (stubs do not read the rest)
//
// The build script prepends definitions of SLOTS and SLOT_STRIDE and substitutes the crate's version for VERSION. It
// must assemble under GNU as and under LLVM, so there is no C preprocessor in it.

        .syntax unified
        .thumb
        .cfi_sections .debug_frame

        .set    STUB_STRIDE, 16

        .section .text.statictramp,"ax",%progbits
        .balign 16
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, %object      // an address without the Thumb bit
statictramp_VERSION_stubs:
        .fnstart                        // no unwinding through a stub: it is not on the stack
        .cfi_startproc                  // a stub never moves sp: one rule is enough
        .set    i, 0
        .rept   SLOTS
        .if     i * SLOT_STRIDE < 0x8000
        movw    r12, #:lower16:(statictramp_VERSION_slots + i * SLOT_STRIDE)
        movt    r12, #:upper16:(statictramp_VERSION_slots + i * SLOT_STRIDE)
        ldm.w   r12, {r12, pc}
        .else                           // a relocation of movw and movt holds an addend of at most 15 bits
        ldr.w   r12, 77f
        ldm.w   r12, {r12, pc}
77:     .word   statictramp_VERSION_slots + i * SLOT_STRIDE
        .endif
        udf     #0                      // nothing runs between two stubs
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
