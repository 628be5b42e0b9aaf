// AArch64: LLVM 21 and later pass the static chain in x15; earlier versions pass it in x18. GCC uses x18 on Linux. On Linux
// and bare metal, x18 is an ordinary temporary, so the stub sets both registers. On Android (RESERVED_X18), x18 is the shadow
// call stack pointer, so the stub does not touch it.
//
// Stub i computes the pc-relative address of its own slot, loads the static chain and the entry from the slot, and
// jumps to the entry. The registers x16 and x17 (IP0 and IP1) hold no live value at function entry (AAPCS64, section
// 6.1.1). A jump through either register may land on a function's `bti c`. Every argument register, x8, the stack and
// the flags reach the entry as the caller left them.
//
//     slot i:  +0 static chain   +8 entry   (stubs do not read the rest)
//
// If SIGN is set, the entry in the slot is signed (src/arch/aarch64/signing.rs). The signing modifier is the chain plus the
// square of the slot's address. Processors without pointer authentication execute `autia1716` as a NOP.
//
// The build script prepends definitions of SLOTS, LEAD, SLOT_STRIDE, LANDING_PADS and SIGN and substitutes the crate's
// version for VERSION. Both GNU `as` and LLVM must accept this file, so it does not use the C preprocessor.

        .set    STUB_STRIDE, 32

        .section .text.statictramp,"ax",%progbits
        .balign 64
        .skip   LEAD            // -fsanitize=function reads the 8 bytes before a function
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, %function
statictramp_VERSION_stubs:
        .cfi_startproc                  // no stub moves sp, so one unwinding rule is enough
        .set    i, 0
        .rept   SLOTS
        .if     LANDING_PADS
        hint    #34                     // bti c
        .endif
        adrp    x16, statictramp_VERSION_slots + i * SLOT_STRIDE
        add     x16, x16, :lo12:statictramp_VERSION_slots + i * SLOT_STRIDE
        ldp     x15, x17, [x16]
        .if     SIGN
        madd    x16, x16, x16, x15
        hint    #12                     // autia1716: an invalid signature causes a fault here (FEAT_FPAC) or at the jump
        .endif
        .ifndef RESERVED_X18
        mov     x18, x15
        .endif
        br      x17
        .balign STUB_STRIDE, 0          // udf #0: execution never falls through to the next stub
        .set    i, i + 1
        .endr
        .cfi_endproc
        .size   statictramp_VERSION_stubs, . - statictramp_VERSION_stubs
        .hidden statictramp_VERSION_stubs_end
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:

        .section .note.gnu.property,"a",%note
        .balign 8
        .long   4, 16, 5                // name size, descriptor size, NT_GNU_PROPERTY_TYPE_0
        .asciz  "GNU"
        .long   0xc0000000, 4           // GNU_PROPERTY_AARCH64_FEATURE_1_AND
        .long   2 + LANDING_PADS, 0     // PAC is always set, because stubs store no return address; BTI is set if stubs have landing pads
