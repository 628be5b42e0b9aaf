// 32-bit x86 (System V psABI for i386): LLVM and GCC pass the static chain in ecx.
//
// This processor has no PC-relative addressing, so a stub calls its own last two instructions, which load the return
// address into eax and return: calls and returns remain paired, as branch prediction and shadow stacks require. Then
// the stub loads the static chain from its own slot, and jumps to the entry in that slot. The register eax holds no
// live value at function entry. Every argument, the stack and the flags reach the entry as the caller left them.
//
//     slot i:  +0 static chain   +4 entry   (stubs do not read the rest)
//
// Each stub contains the code that it calls, because growth maps only the stubs' pages at the new addresses.
//
// The build script prepends definitions of SLOTS, LEAD, SLOT_STRIDE and LANDING_PADS and substitutes the crate's version
// for VERSION. Both GNU `as` and LLVM must accept this file, so it does not use the C preprocessor.

        .set    STUB_STRIDE, 32

        .section .text.statictramp,"ax",@progbits
        .balign 64, 0xcc
        .skip   LEAD, 0xcc      // -fsanitize=function reads the 8 bytes before a function
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, @function
statictramp_VERSION_stubs:
        .cfi_startproc
// One unwinding rule covers all stubs, as in a procedure linkage table. The CFA is esp + 8 if (eip & 31) >= N, and esp + 4
// otherwise, where N is 17, or 21 with landing pads. The rule is a DW_CFA_def_cfa_expression, which consists of DW_OP_breg4 4,
// DW_OP_breg8 0, DW_OP_lit31, DW_OP_and, DW_OP_lit17 or DW_OP_lit21, DW_OP_ge, DW_OP_lit2, DW_OP_shl, DW_OP_plus.
        .cfi_escape 0x0f, 11, 0x74, 4, 0x78, 0, 0x4f, 0x1a, 0x41 + 4 * LANDING_PADS, 0x2a, 0x32, 0x24, 0x22
        .set    i, 0
        .rept   SLOTS
        .if     LANDING_PADS
        endbr32
        .endif
        call    78f
77:     movl    statictramp_VERSION_slots + i * SLOT_STRIDE - 77b(%eax), %ecx
        jmpl    *statictramp_VERSION_slots + i * SLOT_STRIDE + 4 - 77b(%eax)
78:     movl    (%esp), %eax
        ret
        .balign STUB_STRIDE, 0xcc       // int3: execution never falls through to the next stub
        .set    i, i + 1
        .endr
        .cfi_endproc
        .size   statictramp_VERSION_stubs, . - statictramp_VERSION_stubs
        .hidden statictramp_VERSION_stubs_end
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:

        .section .note.gnu.property,"a",@note
        .balign 4
        .long   4, 12, 5                // name size, descriptor size, NT_GNU_PROPERTY_TYPE_0
        .asciz  "GNU"
        .long   0xc0000002, 4           // GNU_PROPERTY_X86_FEATURE_1_AND
        .long   2 + LANDING_PADS        // SHSTK is always set; IBT is set if each stub starts with endbr32
