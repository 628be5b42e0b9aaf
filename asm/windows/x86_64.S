// x86-64, Windows: the static chain is in r10. The instructions are those of ../x86_64.S, without landing pads:
// Windows has no IBT. A stub is a leaf, for which unwinding needs no information (x64 exception handling, "leaf
// functions"): the return address is at rsp.
//
//     slot i:  +0 static chain   +8 entry   (stubs do not read the rest)
//
// `$` in a section's name: the linker merges the section into .text, sorted by the part after the `$`.

        .set    STUB_STRIDE, 16

        // Defines a name for stub `number` and marks it as a function, for the list in table.S.
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
        .globl  statictramp_VERSION_stubs
statictramp_VERSION_stubs:
        .set    i, 0
        .rept   SLOTS
        .if     LISTED
        statictramp_VERSION_name %i
        .endif
        movq    statictramp_VERSION_slots + i * SLOT_STRIDE(%rip), %r10
        jmpq    *statictramp_VERSION_slots + i * SLOT_STRIDE + 8(%rip)
        .balign STUB_STRIDE, 0xcc       // int3: nothing runs between two stubs
        .set    i, i + 1
        .endr
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:
        .if     LISTED
        .noaltmacro
        .endif
