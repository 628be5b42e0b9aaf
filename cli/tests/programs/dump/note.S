// A library with an invalid note: -DSLOTS=..., -DSTUB=..., -DSLOT=..., -DWHERE=... (from the stubs to the slots), and a
// function that the test renames.
#ifndef SLOTS
#define SLOTS 8
#endif
#ifndef STUB
#define STUB 32
#endif
#ifndef SLOT
#define SLOT 32
#endif
#ifndef WHERE
#define WHERE 0
#endif
        .section .note.statictramp,"a",%note
        .balign 4
        .long   12, 32, 1
        .asciz  "statictramp"
        .long   SLOTS, STUB, SLOT, 0
        .quad   stubs - ., stubs + (WHERE) - .
        .text
        .globl  to_be_renamed
        .type   to_be_renamed, %function
to_be_renamed:
        ret
        .size   to_be_renamed, 16
        .balign 4096
stubs:  .skip   4096, 0x90
        .section .note.GNU-stack,"",%progbits
