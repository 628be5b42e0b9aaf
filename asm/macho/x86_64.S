// x86-64 on macOS: LLVM and GCC pass the static chain in r10.
//
// Stub i loads the static chain from its own slot into r10, and jumps to the entry in that slot. Both instructions use
// rip-relative addresses. Every argument register, the stack and the flags reach the entry as the caller left them. Although
// macOS does not support IBT, stubs begin with `endbr64` if LANDING_PADS is set, as on Linux.
//
//     slot i:  +0 static chain   +8 entry   (stubs do not read the rest)
//
// The build script prepends definitions of SLOTS, LEAD, SLOT_STRIDE and LANDING_PADS and substitutes the crate's version
// for VERSION. This file does not use the C preprocessor.

        .if     LANDING_PADS
        .set    STUB_STRIDE, 32         // with endbr64, a stub is 17 bytes long instead of 13
        .else
        .set    STUB_STRIDE, 16
        .endif

        .section __TEXT,__text,regular,pure_instructions
        .p2align 6, 0xcc
_statictramp_VERSION_lead:
        .space  LEAD, 0xcc      // -fsanitize=function reads the 8 bytes before a function
        .private_extern _statictramp_VERSION_stubs
        .globl  _statictramp_VERSION_stubs
        .alt_entry _statictramp_VERSION_stubs   // the linker must not separate the stubs from the padding
_statictramp_VERSION_stubs:
        .cfi_startproc                  // no stub moves rsp, so one unwinding rule is enough
        .set    i, 0
        .rept   SLOTS
        .if     LANDING_PADS
        endbr64
        .endif
        movq    _statictramp_VERSION_slots + i * SLOT_STRIDE(%rip), %r10
        jmpq    *_statictramp_VERSION_slots + i * SLOT_STRIDE + 8(%rip)
        .balign STUB_STRIDE, 0xcc       // int3: execution never falls through to the next stub
        .set    i, i + 1
        .endr
        .cfi_endproc
