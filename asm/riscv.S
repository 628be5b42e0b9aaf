// 32-bit and 64-bit RISC-V: the static chain is in t2 (x7), for LLVM and for GCC.
//
// Stub i finds its own slot, PC-relative, loads both words and jumps. t1 and t2 are temporaries that hold nothing
// between a call and the callee (RISC-V ELF psABI, chapter "Register Convention"). Every argument register and the
// stack arrive at the entry as the caller left them.
//
//     slot i:  +0 static chain   +WORD entry   (stubs do not read the rest)
//
// The build script prepends definitions of SLOTS, SLOT_STRIDE, LANDING_PADS and WORD (the bytes in a register, 4 or 8)
// and substitutes the crate's version for VERSION. It must assemble under GNU as and under LLVM, so there is no C
// preprocessor in it. There are no landing pads: those of Zicfilp would need t2, and no released Linux supports them.

        .set    STUB_STRIDE, 32

        .section .text.statictramp,"ax",%progbits
        .option push
        .option norvc                   // all stubs must have the same size,
        .option norelax                 // even after linking
        .balign 64
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, %function
statictramp_VERSION_stubs:
        .cfi_startproc                  // a stub never moves sp: one rule is enough
        .set    i, 0
        .rept   SLOTS
77:     auipc   t1, %pcrel_hi(statictramp_VERSION_slots + i * SLOT_STRIDE)
        addi    t1, t1, %pcrel_lo(77b)
        .if     WORD == 8               // the chain first: a slot that is freed changes its entry first
        ld      t2, 0(t1)
        ld      t1, 8(t1)
        .else
        lw      t2, 0(t1)
        lw      t1, 4(t1)
        .endif
        jr      t1
        .long   0, 0, 0                 // illegal: nothing runs between two stubs
        .set    i, i + 1
        .endr
        .option pop
        .cfi_endproc
        .size   statictramp_VERSION_stubs, . - statictramp_VERSION_stubs
        .hidden statictramp_VERSION_stubs_end
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:
