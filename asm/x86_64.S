// x86-64, ELF psABI: LLVM and GCC pass the static chain in r10.
//
// Stub i loads the static chain from its own slot into r10, and jumps to the entry in that slot. Both instructions use
// rip-relative addresses. Every argument register, the stack and the flags reach the entry as the caller left them.
//
//     slot i:  +0 static chain   +8 entry   (stubs do not read the rest)
//
// The build script prepends definitions of SLOTS, LEAD, SLOT_STRIDE and LANDING_PADS and substitutes the crate's version
// for VERSION. Both GNU `as` and LLVM must accept this file, so it does not use the C preprocessor.

        .if     LANDING_PADS
        .set    STUB_STRIDE, 32         // with endbr64, a stub is 17 bytes long instead of 13
        .else
        .set    STUB_STRIDE, 16
        .endif

        .section .text.statictramp,"ax",@progbits
        .balign 64, 0xcc
        .skip   LEAD, 0xcc      // -fsanitize=function reads the 8 bytes before a function
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, @function
statictramp_VERSION_stubs:
        .cfi_startproc                  // no stub moves rsp, so one unwinding rule is enough
        .set    i, 0
        .rept   SLOTS
        .if     LANDING_PADS
        endbr64
        .endif
        movq    statictramp_VERSION_slots + i * SLOT_STRIDE(%rip), %r10
        jmpq    *statictramp_VERSION_slots + i * SLOT_STRIDE + 8(%rip)
        .balign STUB_STRIDE, 0xcc       // int3: execution never falls through to the next stub
        .set    i, i + 1
        .endr
        .cfi_endproc
        .size   statictramp_VERSION_stubs, . - statictramp_VERSION_stubs
        .hidden statictramp_VERSION_stubs_end
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:

        .section .note.gnu.property,"a",@note
        .balign 8
        .long   4, 16, 5                // name size, descriptor size, NT_GNU_PROPERTY_TYPE_0
        .asciz  "GNU"
        .long   0xc0000002, 4           // GNU_PROPERTY_X86_FEATURE_1_AND
        .long   2 + LANDING_PADS, 0     // SHSTK is always set; IBT is set if each stub starts with endbr64
