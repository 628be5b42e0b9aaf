// Thumb-1 (Armv6-M, Armv8-M baseline): the static chain is in r12 (ip), for LLVM and for GCC.
//
// Stub i reads the address of its own slot from a word after its instructions. Only r0 to r7 can be loaded and pc only
// be popped, so the stub borrows r0 and r1 and gives them back with the jump; r12 holds nothing between a call and the
// callee (AAPCS32, section 6.1.1). Every argument register, the stack and the flags arrive at the entry as the
// caller left them; 12 bytes of stack are used on the way.
//
//     slot i:  +0 static chain   +4 entry, with the Thumb bit   (stubs do not read the rest)
//
// The build script sets SLOTS and SLOT_STRIDE in front of this text and writes the crate's version for VERSION. It
// must assemble under GNU as and under LLVM, so there is no C preprocessor in it.

        .syntax unified
        .thumb
        .cfi_sections .debug_frame

        .set    STUB_STRIDE, 20

        .section .text.statictramp,"ax",%progbits
        .balign 4
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, %object      // an address without the Thumb bit
statictramp_VERSION_stubs:
        .fnstart                        // nothing unwinds through a stub: it is gone when the entry runs
        .set    i, 0
        .rept   SLOTS
        .cfi_startproc
        push    {r0, r1, r2}
        .cfi_def_cfa_offset 12
        ldr     r1, 77f
        ldr     r0, [r1]
        mov     r12, r0
        ldr     r1, [r1, #4]
        str     r1, [sp, #8]
        pop     {r0, r1, pc}
        .cfi_endproc
        .balign 4
77:     .word   statictramp_VERSION_slots + i * SLOT_STRIDE
        .set    i, i + 1
        .endr
        .cantunwind
        .fnend
        .size   statictramp_VERSION_stubs, . - statictramp_VERSION_stubs
        .hidden statictramp_VERSION_stubs_end
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:
