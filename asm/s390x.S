// s390x: the static chain is in r0, for GCC. LLVM passes a `nest` parameter as the first argument here,
// which no stub can set.
//
// Stub i loads both words of its own slot, PC-relative, and jumps. r0 and r1 hold nothing between a call and the callee
// (ELF ABI s390x Supplement, section "Registers"). Every argument register, the stack and the condition code arrive at
// the entry as the caller left them. The loads are performed in program order (z/Architecture Principles of Operation,
// section "Storage-Operand Fetch References").
//
//     slot i:  +0 static chain   +8 entry   (stubs do not read the rest)
//
// The build script prepends definitions of SLOTS, SLOT_STRIDE and LANDING_PADS and substitutes the crate's
// version for VERSION. It must assemble under GNU as and under LLVM, so there is no C preprocessor in it. There
// are no landing pads: the processor has none.

        .set    STUB_STRIDE, 16

        .section .text.statictramp,"ax",%progbits
        .balign 64
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, %function
statictramp_VERSION_stubs:
        .cfi_startproc                  // a stub never moves r15: one rule is enough
        .set    i, 0
        .rept   SLOTS
        lgrl    %r0, statictramp_VERSION_slots + i * SLOT_STRIDE // the chain first: a slot that is freed changes its entry first
        lgrl    %r1, statictramp_VERSION_slots + i * SLOT_STRIDE + 8
        br      %r1
        .short  0                       // illegal: nothing runs between two stubs
        .set    i, i + 1
        .endr
        .cfi_endproc
        .size   statictramp_VERSION_stubs, . - statictramp_VERSION_stubs
        .hidden statictramp_VERSION_stubs_end
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:
