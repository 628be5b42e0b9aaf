// 32-bit and 64-bit RISC-V: LLVM and GCC pass the static chain in t2 (x7).
//
// Stub i computes the pc-relative address of its own slot, loads the static chain and the entry from the slot, and jumps
// to the entry. The registers t1 and t2 are temporaries, which hold no live value at function entry (RISC-V ELF
// psABI, chapter "Register Convention"). Every argument register and the stack reach the entry as the caller left them.
//
//     slot i:  +0 static chain   +WORD entry   (stubs do not read the rest)
//
// The build script prepends definitions of SLOTS, LEAD, SLOT_STRIDE, LANDING_PADS and WORD (the register size in bytes, 4
// or 8) and substitutes the crate's version for VERSION. Both GNU `as` and LLVM must accept this file, so it does not use the C
// preprocessor. The stubs have no landing pads (Zicfilp). A labelled landing pad compares its label with t2, so compilers that
// emit landing pads pass the static chain in t3.

        .set    STUB_STRIDE, 32

        .section .text.statictramp,"ax",%progbits
        .option push
        .option norvc                   // no compressed instructions, so that all stubs have the same size
        .option norelax                 // the linker must not shorten a stub
        .balign 64
        .skip   LEAD            // -fsanitize=function reads the 8 bytes before a function
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, %function
statictramp_VERSION_stubs:
        .cfi_startproc                  // no stub moves sp, so one unwinding rule is enough
        .set    i, 0
        .rept   SLOTS
77:     auipc   t1, %pcrel_hi(statictramp_VERSION_slots + i * SLOT_STRIDE)
        addi    t1, t1, %pcrel_lo(77b)
        .if     WORD == 8               // the chain is loaded first, because freeing a slot changes its entry first
        ld      t2, 0(t1)
        ld      t1, 8(t1)
        .else
        lw      t2, 0(t1)
        lw      t1, 4(t1)
        .endif
        jr      t1
        .long   0, 0, 0                 // illegal: execution never falls through to the next stub
        .set    i, i + 1
        .endr
        .option pop
        .cfi_endproc
        .size   statictramp_VERSION_stubs, . - statictramp_VERSION_stubs
        .hidden statictramp_VERSION_stubs_end
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:
