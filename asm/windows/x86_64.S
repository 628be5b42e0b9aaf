// x86-64, Windows: LLVM and GCC pass the static chain in r10. The instructions are the same as in ../x86_64.S, but
// without landing pads, because Windows does not support IBT. A stub is a leaf function: the return address is at rsp,
// so no unwind information is needed (x64 exception handling, "leaf functions").
//
//     slot i:  +0 static chain   +8 entry   (stubs do not read the rest)
//
// The linker merges .text$statictramp into .text. If the names of several sections are equal up to the `$`,
// the linker sorts these sections by the rest of the name.

        .set    STUB_STRIDE, 16

        // Defines a symbol for stub `number` and marks it as a function, for the list in table.S.
        .macro  statictramp_VERSION_name number
        .def    statictramp_VERSION_stub_\number
        .scl    3                       // local
        .type   32                      // a function
        .endef
statictramp_VERSION_stub_\number:
        .endm

        .if     LISTED
        .altmacro
        .endif
        .section .text$statictramp,"xr"
        .balign 64, 0xcc
        .skip   LEAD, 0xcc      // -fsanitize=function reads the 8 bytes before a function
        .globl  statictramp_VERSION_stubs
statictramp_VERSION_stubs:
        .set    i, 0
        .rept   SLOTS
        .if     LISTED
        statictramp_VERSION_name %i
        .endif
        movq    statictramp_VERSION_slots + i * SLOT_STRIDE(%rip), %r10
        jmpq    *statictramp_VERSION_slots + i * SLOT_STRIDE + 8(%rip)
        .balign STUB_STRIDE, 0xcc       // int3: execution never falls through to the next stub
        .set    i, i + 1
        .endr
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:
        .if     LISTED
        .noaltmacro
        .endif
