// Thumb-1 (Armv6-M, Armv8-M baseline): LLVM and GCC pass the static chain in r12 (ip).
//
// Stub i reads the address of its own slot from a word after its instructions. Thumb-1 code can load only r0 to r7
// through a pointer, and can load pc only from the stack. The stub therefore saves r0 and r1, and its last instruction
// pops them together with pc. The register r12 holds no live value at function entry (AAPCS32, section 6.1.1). Every
// argument register, the stack and the flags reach the entry as the caller left them. The stub uses 12 bytes of stack.
//
//     slot i:  +0 static chain   +4 entry, with the Thumb bit   (stubs do not read the rest)
//
// The build script prepends definitions of SLOTS and SLOT_STRIDE and substitutes the crate's version for VERSION. Both GNU `as`
// and LLVM must accept this file, so it does not use the C preprocessor.

        .syntax unified
        .thumb
        .cfi_sections .debug_frame

        .set    STUB_STRIDE, 20

        .section .text.statictramp,"ax",%progbits
        .balign 4
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, %object      // a function's address would have the Thumb bit
statictramp_VERSION_stubs:
        .fnstart                        // nothing unwinds through a stub, because a stub calls nothing
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
