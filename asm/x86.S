// 32-bit x86 (System V psABI for i386): the static chain is in ecx.
//
// This processor has no PC-relative addressing. So a stub calls three instructions ahead, where the return address is
// read and returned to, so that calls and returns remain paired for branch prediction and for shadow stacks. Then it
// loads both words of its own slot and jumps. eax holds nothing between a call and the callee. Every argument, the
// stack and the flags arrive at the entry as the caller left them.
//
//     slot i:  +0 static chain   +4 entry   (stubs do not read the rest)
//
// Each stub contains the code that it calls. One shared copy next to the table would not do, because growth maps only
// the pages of the stubs again.
//
// The build script prepends definitions of SLOTS, SLOT_STRIDE and LANDING_PADS and substitutes the crate's
// version for VERSION. It must assemble under GNU as and under LLVM, so there
// is no C preprocessor in it.

        .set    STUB_STRIDE, 32

        .section .text.statictramp,"ax",@progbits
        .balign 64, 0xcc
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, @function
statictramp_VERSION_stubs:
        .cfi_startproc
// One unwinding rule covers all stubs, as in a procedure linkage table: DW_CFA_def_cfa_expression, the CFA is
// esp + 4 + ((eip & 31) >= 17, with landing pads 21, ? 4 : 0), by DW_OP_breg4 4, DW_OP_breg8 0, DW_OP_lit31, DW_OP_and,
// DW_OP_lit17 or 21, DW_OP_ge, DW_OP_lit2, DW_OP_shl, DW_OP_plus.
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
        .balign STUB_STRIDE, 0xcc       // int3: nothing runs between two stubs
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
        .long   2 + LANDING_PADS        // SHSTK always; IBT if each stub starts with endbr32
