// 64-bit MIPS, little-endian, with the convention n64: the static chain is in $15, for GCC. LLVM passes a `nest`
// parameter as the first argument here, which no stub can set.
//
// A caller through a pointer has put the stub's address into $25, as position-independent code requires. Stub i adds
// to it the distance to its own slot, which follows the instructions, loads both words and jumps. $24 and $25 are
// temporaries (MIPSpro N32 ABI Handbook, chapter 2); $25 then holds the entry's address, for the entry. Every argument
// register and the stack arrive at the entry as the caller left them.
//
//     slot i:  +0 static chain   +8 entry   (stubs do not read the rest)
//
// The build script prepends definitions of SLOTS, SLOT_STRIDE and LANDING_PADS and substitutes the crate's
// version for VERSION. It must assemble under GNU as and under LLVM, so there is no C preprocessor in it. There
// are no landing pads: the processor has none.

        .set    STUB_STRIDE, 32
        .set    SHORT_DISTANCES, 1      // GNU as has no 64-bit ones

        .section .text.statictramp,"ax",%progbits
        .balign 64
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, %function
statictramp_VERSION_stubs:
        .cfi_startproc                  // a stub never moves sp: one rule is enough
        .set    push
        .set    noreorder               // the instruction after a jump is the one that is written there
        .set    i, 0
        .rept   SLOTS
        lw      $24, 24($25)
        daddu   $24, $24, $25
        ld      $15, 0($24)             // the chain first: a slot that is freed changes its entry first
        ld      $25, 8($24)
        jr      $25
        nop                             // in the jump's delay slot
        .4byte  statictramp_VERSION_slots + i * SLOT_STRIDE + 24 - .
        .4byte  0
        .set    i, i + 1
        .endr
        .set    pop
        .cfi_endproc
        .size   statictramp_VERSION_stubs, . - statictramp_VERSION_stubs
        .hidden statictramp_VERSION_stubs_end
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:
