// 64-bit little-endian MIPS, n64 ABI: GCC passes the static chain in $15. LLVM's `nest` parameters are not supported:
// on this processor, LLVM passes them as ordinary first arguments, and a stub cannot insert an argument.
//
// On a call through a function pointer, $25 holds the stub's address, as position-independent code requires. Stub i
// reads the distance to its own slot from a word after its instructions, adds this distance to its own address, loads
// the static chain and the entry from the slot, and jumps to the entry. The registers $24 and $25 are temporaries
// (MIPSpro N32 ABI Handbook, chapter 2). The stub leaves the entry's address in $25, as the entry expects. Every
// argument register and the stack reach the entry as the caller left them.
//
//     slot i:  +0 static chain   +8 entry   (stubs do not read the rest)
//
// The build script prepends definitions of SLOTS, LEAD, SLOT_STRIDE and LANDING_PADS and substitutes the crate's version
// for VERSION. Both GNU `as` and LLVM must accept this file, so it does not use the C preprocessor. The stubs have no landing
// pads, because the processor does not support them.

        .set    STUB_STRIDE, 32
        .set    SHORT_DISTANCES, 1      // GNU `as` does not support 64-bit distances

        .section .text.statictramp,"ax",%progbits
        .balign 64
        .skip   LEAD            // -fsanitize=function reads the 8 bytes before a function
        .hidden statictramp_VERSION_stubs
        .globl  statictramp_VERSION_stubs
        .type   statictramp_VERSION_stubs, %function
statictramp_VERSION_stubs:
        .cfi_startproc                  // no stub moves sp, so one unwinding rule is enough
        .set    push
        .set    noreorder               // the assembler must not fill the delay slots
        .set    i, 0
        .rept   SLOTS
        lw      $24, 24($25)
        daddu   $24, $24, $25
        ld      $15, 0($24)             // the chain is loaded first, because freeing a slot changes its entry first
        ld      $25, 8($24)
        jr      $25
        nop                             // in the delay slot of the jump
        .4byte  statictramp_VERSION_slots + i * SLOT_STRIDE + 24 - .
        .4byte  0
        .set    i, i + 1
        .endr
        .set    pop
        .cfi_endproc
        .size   statictramp_VERSION_stubs, . - statictramp_VERSION_stubs
        .hidden statictramp_VERSION_stubs_end
        .globl  statictramp_VERSION_stubs_end
statictramp_VERSION_stubs_end:
