// s390x: GCC passes the static chain in r0. LLVM's `nest` parameters are not supported: on this processor, LLVM passes
// them as ordinary first arguments, and a stub cannot insert an argument.
//
// Stub i loads the static chain and the entry from its own slot, using pc-relative addresses, and jumps to the entry. The
// registers r0 and r1 hold no live value at function entry (ELF ABI s390x Supplement, section "Registers"). Every
// argument register, the stack and the condition code reach the entry as the caller left them. The loads are performed in
// program order (z/Architecture Principles of Operation, section "Storage-Operand Fetch References").
//
//     slot i:  +0 static chain   +8 entry   (stubs do not read the rest)
//
// The build script prepends definitions of SLOTS, LEAD, SLOT_STRIDE and LANDING_PADS and substitutes the crate's version
// for VERSION. Both GNU `as` and LLVM must accept this file, so it does not use the C preprocessor. The stubs have no landing
// pads, because the processor does not support them.

        .set    STUB_STRIDE, 16

        .section .text.statictramp,"ax",%progbits
        .balign 64
        .skip   LEAD            // -fsanitize=function reads the 8 bytes before a function
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, %function
statictramp_VERSION_stubs:
        .cfi_startproc                  // no stub moves r15, so one unwinding rule is enough
        .set    i, 0
        .rept   SLOTS
        lgrl    %r0, statictramp_VERSION_slots + i * SLOT_STRIDE // the chain is loaded first, because freeing a slot changes its entry first
        lgrl    %r1, statictramp_VERSION_slots + i * SLOT_STRIDE + 8
        br      %r1
        .short  0                       // illegal: execution never falls through to the next stub
        .set    i, i + 1
        .endr
        .cfi_endproc
        .size   statictramp_VERSION_stubs, . - statictramp_VERSION_stubs
        .hidden statictramp_VERSION_stubs_end
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:
