// AArch64: LLVM passes the static chain in x15 from version 21 on and in x18 before, as GCC does on Linux. On
// the systems that have these stubs (Linux, bare metal) x18 is an ordinary temporary, so both get it.
//
// Stub i finds its own slot, PC-relative, loads both words and jumps. x16 and x17 are reserved for code between a call
// and the callee (AAPCS64, section 6.1.1); a jump through them may land on a function's `bti c`. Every argument
// register, x8, the stack and the flags arrive at the entry as the caller left them.
//
//     slot i:  +0 static chain   +8 entry   (stubs do not read the rest)
//
// The build script sets SLOTS, SLOT_STRIDE and LANDING_PADS in front of this text and writes the crate's
// version for VERSION. It must assemble under GNU as and under LLVM, so there is no C preprocessor in it.

        .set    STUB_STRIDE, 32

        .section .text.statictramp,"ax",%progbits
        .balign 64
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, %function
statictramp_VERSION_stubs:
        .cfi_startproc                  // a stub never moves sp: one rule is enough
        .set    i, 0
        .rept   SLOTS
        .if     LANDING_PADS
        hint    #34                     // bti c
        .endif
        adrp    x16, statictramp_VERSION_slots + i * SLOT_STRIDE
        add     x16, x16, :lo12:statictramp_VERSION_slots + i * SLOT_STRIDE
        ldp     x15, x17, [x16]
        mov     x18, x15
        br      x17
        .balign STUB_STRIDE, 0          // udf #0: nothing runs between two stubs
        .set    i, i + 1
        .endr
        .cfi_endproc
        .size   statictramp_VERSION_stubs, . - statictramp_VERSION_stubs
        .hidden statictramp_VERSION_stubs_end
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:

        .section .note.gnu.property,"a",%note
        .balign 8
        .long   4, 16, 5                // name size, descriptor size, NT_GNU_PROPERTY_TYPE_0
        .asciz  "GNU"
        .long   0xc0000000, 4           // GNU_PROPERTY_AARCH64_FEATURE_1_AND
        .long   2 + LANDING_PADS, 0     // PAC always: no return address is stored. BTI if each stub starts with a landing pad
