// 32-bit PowerPC, big-endian (System V ABI): LLVM and GCC pass the static chain in r11.
//
// This processor has no PC-relative addressing, so stub i reaches its own third instruction through a branch-and-link
// (bcl 20,31) that the branch predictor does not treat as a call. That instruction reads its own address from the link
// register, and the next one restores that register from r0. Then the stub computes the address of its own slot, loads
// the static chain and the entry from the slot, and jumps to the entry. The registers r0, r11, r12 and ctr hold no live
// value at function entry (System V ABI, PowerPC Processor Supplement, "Registers"). PLT code also clobbers r11, r12
// and ctr. Every argument register, the stack, the link register and the condition register reach the entry as the
// caller left them. (A bit of the condition register tells variadic functions whether floating-point arguments were
// passed.)
//
//     slot i:  +0 static chain   +4 entry   (stubs do not read the rest)
//
// The build script prepends definitions of SLOTS, LEAD and SLOT_STRIDE and substitutes the crate's version for VERSION. Both GNU
// `as` and LLVM must accept this file, so it does not use the C preprocessor. This processor does not support landing pads.

        .set    STUB_STRIDE, 64
        .set    HIGH_WORD_FIRST, 1      // a 64-bit number is stored as two words, the high word first

        .section .text.statictramp,"ax",@progbits
        .balign 64
        .skip   LEAD            // -fsanitize=function reads the 8 bytes before a function
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, @function
statictramp_VERSION_stubs:
        .cfi_startproc                  // no stub moves r1
        .set    i, 0
        .rept   SLOTS
        mflr    0
        .cfi_register 65, 0             // the link register
        bcl     20, 31, 77f
77:     mflr    12
        mtlr    0
        .cfi_restore 65
        addis   12, 12, (statictramp_VERSION_slots + i * SLOT_STRIDE - 77b)@ha
        lwzu    11, (statictramp_VERSION_slots + i * SLOT_STRIDE - 77b)@l(12) // the chain is loaded first, because freeing a slot changes its entry first
        lwz     12, 4(12)
        mtctr   12
        bctr
        .long   0, 0, 0, 0, 0, 0, 0     // illegal: execution never falls through to the next stub
        .set    i, i + 1
        .endr
        .cfi_endproc
        .size   statictramp_VERSION_stubs, . - statictramp_VERSION_stubs
        .hidden statictramp_VERSION_stubs_end
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:
