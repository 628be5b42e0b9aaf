// 64-bit LoongArch: GCC passes the static chain in t8 (r20). LLVM's `nest` parameters are not supported: on this
// processor, LLVM passes them as ordinary first arguments, and a stub cannot insert an argument.
//
// Stub i computes the pc-relative address of its own slot, loads the static chain and the entry from the slot, and jumps
// to the entry. The registers t7 and t8 are temporaries, which hold no live value at function entry (LoongArch
// ELF psABI, section "Register Convention"). Every argument register and the stack reach the entry as the caller left
// them.
//
//     slot i:  +0 static chain   +8 entry   (stubs do not read the rest)
//
// A slot never crosses the middle or the end of a page, so the addresses of its chain and its entry have the same high
// part. The relocations are written separately from the instructions, because GNU `as` does not accept a multiplication
// inside %pc_hi20(). This also prevents linkers from relaxing the stubs.
//
// The build script prepends definitions of SLOTS, LEAD, SLOT_STRIDE and LANDING_PADS and substitutes the crate's version
// for VERSION. Both GNU `as` and LLVM must accept this file, so it does not use the C preprocessor. The stubs have no landing
// pads, because the processor does not support them.

        .set    STUB_STRIDE, 16

        .section .text.statictramp,"ax",%progbits
        .balign 64
        .skip   LEAD            // -fsanitize=function reads the 8 bytes before a function
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, %function
statictramp_VERSION_stubs:
        .cfi_startproc                  // no stub moves sp, so one unwinding rule is enough
        .set    i, 0
        .rept   SLOTS
        .reloc  ., R_LARCH_PCALA_HI20, statictramp_VERSION_slots + i * SLOT_STRIDE
        pcalau12i $t7, 0
        .reloc  ., R_LARCH_PCALA_LO12, statictramp_VERSION_slots + i * SLOT_STRIDE
        ld.d    $t8, $t7, 0             // the chain is loaded first, because freeing a slot changes its entry first
        .reloc  ., R_LARCH_PCALA_LO12, statictramp_VERSION_slots + i * SLOT_STRIDE + 8
        ld.d    $t7, $t7, 0
        jr      $t7
        .set    i, i + 1
        .endr
        .cfi_endproc
        .size   statictramp_VERSION_stubs, . - statictramp_VERSION_stubs
        .hidden statictramp_VERSION_stubs_end
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:
