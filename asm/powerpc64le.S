// 64-bit PowerPC, little-endian (ELFv2 ABI): the static chain is in r11, for LLVM and for GCC.
//
// A caller through a function pointer has put the stub's address into r12 (Power ELFv2 ABI, section 2.3.2, "global
// entry point"). From this address stub i finds its own slot, loads both words and jumps, with the entry's address in
// r12, as the entry expects as well. r0, r11, r12 and ctr hold nothing between a call and the callee. Every argument
// register, the stack, r2 and the condition registers arrive at the entry as the caller left them.
//
//     slot i:  +0 static chain   +8 entry   (stubs do not read the rest)
//
// The build script prepends definitions of SLOTS and SLOT_STRIDE and substitutes the crate's version for VERSION. It
// must assemble under GNU as and under LLVM, so there is no C preprocessor in it. There are no landing pads on this
// processor.

        .abiversion 2
        .set    STUB_STRIDE, 32

        .section .text.statictramp,"ax",@progbits
        .balign 64
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, @function
statictramp_VERSION_stubs:
        .cfi_startproc                  // a stub never moves r1: one rule is enough
        .set    i, 0
        .rept   SLOTS
77:     addis   12, 12, (statictramp_VERSION_slots + i * SLOT_STRIDE - 77b)@ha
        addi    12, 12, (statictramp_VERSION_slots + i * SLOT_STRIDE - 77b)@l
        ld      11, 0(12)               // the chain first: a slot that is freed changes its entry first
        ld      12, 8(12)
        mtctr   12
        bctr
        .long   0, 0                    // illegal: nothing runs between two stubs
        .set    i, i + 1
        .endr
        .cfi_endproc
        .size   statictramp_VERSION_stubs, . - statictramp_VERSION_stubs
        .hidden statictramp_VERSION_stubs_end
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:
