// AArch64 on macOS: LLVM 21 and later pass the static chain in x15, and GCC passes it in x16, so the stub sets both registers.
// The stub does not touch x18, which is reserved for the system.
//
// Stub i computes the pc-relative address of its own slot, loads the static chain and the entry from the slot, and
// jumps to the entry. The registers x16 and x17 (IP0 and IP1) hold no live value at function entry. A jump through x17
// may land on a function's `bti c`. Every argument register, x8, the stack and the flags reach the entry as the caller
// left them.
//
//     slot i:  +0 static chain   +8 entry   (stubs do not read the rest)
//
// The build script prepends definitions of SLOTS, LEAD, SLOT_STRIDE and LANDING_PADS and substitutes the crate's version
// for VERSION. This file does not use the C preprocessor.

        .set    STUB_STRIDE, 32

        .section __TEXT,__text,regular,pure_instructions
        .p2align 6
_statictramp_VERSION_lead:
        .space  LEAD            // -fsanitize=function reads the 8 bytes before a function
        .private_extern _statictramp_VERSION_stubs
        .globl  _statictramp_VERSION_stubs
        .alt_entry _statictramp_VERSION_stubs   // the linker must not separate the stubs from the padding
_statictramp_VERSION_stubs:
        .cfi_startproc                  // no stub moves sp, so one unwinding rule is enough
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
        .balign STUB_STRIDE, 0          // udf #0: execution never falls through to the next stub
        .set    i, i + 1
        .endr
        .cfi_endproc
