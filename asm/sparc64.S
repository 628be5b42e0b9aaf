// 64-bit SPARC (V9), big-endian: GCC passes the static chain in %g5. LLVM's `nest` parameters are not supported: on
// this processor, LLVM passes them as ordinary first arguments, and a stub cannot insert an argument.
//
// Stub i computes the pc-relative address of its own slot, loads the static chain and the entry from the slot, and
// jumps to the entry. The registers %g1 and %g5 hold no live value at function entry (SPARC Compliance Definition 2.4,
// section 3, "Low-Level System Information"). Every argument register, the register window, the return address in %o7,
// the stack and the condition codes reach the entry as the caller left them. `rd %pc`, which GCC's own trampolines also
// use, reads the stub's address without a call. Linux runs programs under total store order, which performs loads in
// program order.
//
//     slot i:  +0 static chain   +8 entry   (stubs do not read the rest)
//
// The distance from the stub to its slot must be less than 2 GiB. The distance is a multiple of 32, because slots and
// stubs are aligned to 32 bytes. `sethi` loads the high bits of the distance and clears the upper half of the register;
// `sra` then sign-extends the value. Each load adds the low ten bits as its offset. The linker subtracts the address of
// the relocated instruction, so each addend includes the distance from the stub's first instruction to the relocated
// one.
//
// The build script prepends definitions of SLOTS, LEAD, SLOT_STRIDE and LANDING_PADS and substitutes the crate's version
// for VERSION. Both GNU `as` and LLVM must accept this file, so it does not use the C preprocessor. The stubs have no landing
// pads, because the processor does not support them.

        .set    STUB_STRIDE, 32

        .section .text.statictramp,"ax",%progbits
        .balign 64
        .skip   LEAD            // -fsanitize=function reads the 8 bytes before a function
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, %function
statictramp_VERSION_stubs:
        .cfi_startproc                  // no stub moves %sp, so one unwinding rule is enough
        .set    i, 0
        .rept   SLOTS
        rd      %pc, %g1
        sethi   %pc22(statictramp_VERSION_slots + i * SLOT_STRIDE + 4), %g5
        sra     %g5, 0, %g5
        add     %g1, %g5, %g1
        ldx     [%g1 + %pc10(statictramp_VERSION_slots + i * SLOT_STRIDE + 16)], %g5 // the chain is loaded first, because freeing a slot changes its entry first
        ldx     [%g1 + %pc10(statictramp_VERSION_slots + i * SLOT_STRIDE + 8 + 20)], %g1
        jmp     %g1
        nop                             // in the delay slot of the jump
        .set    i, i + 1
        .endr
        .cfi_endproc
        .size   statictramp_VERSION_stubs, . - statictramp_VERSION_stubs
        .hidden statictramp_VERSION_stubs_end
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:
