// 64-bit PowerPC, little-endian (ELFv2 ABI): LLVM and GCC pass the static chain in r11.
//
// On a call through a function pointer, r12 holds the stub's address (Power ELFv2 ABI, section 2.3.2, "global entry
// point"). Stub i computes its slot's address from that address, loads the static chain and the entry from the slot,
// and jumps to the entry. The entry expects its own address in r12. The registers r0, r11 and ctr hold no live value at
// function entry. Every argument register, the stack, r2 and the condition register reach the entry as the caller left
// them.
//
//     slot i:  +0 static chain   +8 entry   (stubs do not read the rest)
//
// The build script prepends definitions of SLOTS, LEAD and SLOT_STRIDE and substitutes the crate's version for VERSION. Both GNU
// `as` and LLVM must accept this file, so it does not use the C preprocessor. This processor does not support landing pads.

        .abiversion 2
        .set    STUB_STRIDE, 32

        .section .text.statictramp,"ax",@progbits
        .balign 64
        .skip   LEAD            // -fsanitize=function reads the 8 bytes before a function
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, @function
statictramp_VERSION_stubs:
        .cfi_startproc                  // no stub moves r1, so one unwinding rule is enough
        .set    i, 0
        .rept   SLOTS
77:     addis   12, 12, (statictramp_VERSION_slots + i * SLOT_STRIDE - 77b)@ha
        addi    12, 12, (statictramp_VERSION_slots + i * SLOT_STRIDE - 77b)@l
        ld      11, 0(12)               // the chain is loaded first, because freeing a slot changes its entry first
        ld      12, 8(12)
        mtctr   12
        bctr
        .long   0, 0                    // illegal: execution never falls through to the next stub
        .set    i, i + 1
        .endr
        .cfi_endproc
        .size   statictramp_VERSION_stubs, . - statictramp_VERSION_stubs
        .hidden statictramp_VERSION_stubs_end
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:
