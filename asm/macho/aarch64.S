// AArch64 on macOS: LLVM passes the static chain in x15 from version 21 on, GCC in x16, so both get it. x18 belongs
// to the system and is not touched.
//
// Stub i finds its own slot, PC-relative, loads both words and jumps. x16 and x17 are reserved for code between a call
// and the callee; a jump through x17 may land on a function's `bti c`. Every argument register, x8, the stack and
// the flags arrive at the entry as the caller left them.
//
//     slot i:  +0 static chain   +8 entry   (stubs do not read the rest)
//
// The build script prepends definitions of SLOTS, SLOT_STRIDE and LANDING_PADS and substitutes the crate's
// version for VERSION. There is no C preprocessor in it.

        .set    STUB_STRIDE, 32

        .section __TEXT,__text,regular,pure_instructions
        .p2align 6
        .private_extern _statictramp_VERSION_stubs
        .globl  _statictramp_VERSION_stubs
_statictramp_VERSION_stubs:
        .cfi_startproc                  // a stub never moves sp: one rule is enough
        .set    i, 0
        .rept   SLOTS
        .if     LANDING_PADS
        hint    #34                     // bti c
        .endif
        adrp    x16, (_statictramp_VERSION_slots + i * SLOT_STRIDE)@PAGE
        add     x16, x16, (_statictramp_VERSION_slots + i * SLOT_STRIDE)@PAGEOFF
        ldp     x15, x17, [x16]
        mov     x16, x15
        br      x17
        .balign STUB_STRIDE, 0          // udf #0: nothing runs between two stubs
        .set    i, i + 1
        .endr
        .cfi_endproc
