// Parts common to all ELF targets: the slots, symbols for linker scripts, the section .note.GNU-stack, and the note
// through which tools find stubs and slots in a stripped file or a running process.
//
// The build script appends this file to the architecture's stub file, which sets STUB_STRIDE and defines the stubs. The
// build script itself defines SLOTS, SLOT_STRIDE, SLOTS_ROOM (the total size of the slots, rounded up to a power of two;
// used if BARE is set), WORD, BARE and EXTRAS.

        .section .tramp_data,"aw",%nobits
        .if     BARE
        .balign SLOTS_ROOM              // lets an MPU or PMP region cover exactly the slots
        .else
        .balign 64                      // no data before the slots shares a 64-byte cache line with them
        .endif
        .hidden statictramp_VERSION_slots
        .globl  statictramp_VERSION_slots
        .type   statictramp_VERSION_slots, %object
statictramp_VERSION_slots:
        .skip   SLOTS * SLOT_STRIDE
        .size   statictramp_VERSION_slots, . - statictramp_VERSION_slots
        .hidden statictramp_VERSION_slots_end
        .globl  statictramp_VERSION_slots_end
statictramp_VERSION_slots_end:
        .if     BARE
        .skip   SLOTS_ROOM - SLOTS * SLOT_STRIDE
        .hidden statictramp_VERSION_slots_room
        .globl  statictramp_VERSION_slots_room
        .set    statictramp_VERSION_slots_room, SLOTS_ROOM

// If libstatictramp's extra words are used, they precede the slots, so that one region covers both.
        .if     EXTRAS
        .section .tramp_data.extra,"aw",%nobits
        .balign 2 * SLOTS_ROOM
        .hidden statictramp_VERSION_extras
        .globl  statictramp_VERSION_extras
        .type   statictramp_VERSION_extras, %object
statictramp_VERSION_extras:
        .skip   SLOTS_ROOM
        .size   statictramp_VERSION_extras, SLOTS_ROOM
        .endif

// In a program that contains both the Rust crate and the C library, the stubs in each one refer to the other's copy of
// this empty section, so that the linker keeps both copies. The section aligns the start of the slots, so that one
// region can cover both tables. The references are weak, so they do not by themselves pull in the other library.
        .section .tramp_data.both,"aw",%nobits
        .balign 2 * (1 + EXTRAS) * SLOTS_ROOM
        .hidden statictramp_VERSION_both
        .globl  statictramp_VERSION_both
statictramp_VERSION_both:
        .section .text.statictramp,"ax",%progbits
        .weak   statictramp_OTHER_both
        .hidden statictramp_OTHER_both
        .reloc  0, BFD_RELOC_NONE, statictramp_OTHER_both

// Only a linker script can keep the slots separate from a heap, so the stubs' section references a symbol that
// tramp_slots.x provides. Without that script, the linker reports an undefined symbol whose name states the remedy. A
// program without stubs does not need the script.
        .section .text.statictramp,"ax",%progbits
        .if     WORD == 8
        .quad   statictramp_error_add_INCLUDE_tramp_x_to_memory_x - .
        .else
        .long   statictramp_error_add_INCLUDE_tramp_x_to_memory_x
        .endif
        .endif

// These symbols are for the linker script, which can read symbols but not instructions.
        .hidden statictramp_VERSION_slot_count
        .globl  statictramp_VERSION_slot_count
        .set    statictramp_VERSION_slot_count, SLOTS
        .hidden statictramp_VERSION_stub_stride
        .globl  statictramp_VERSION_stub_stride
        .set    statictramp_VERSION_stub_stride, STUB_STRIDE
        .hidden statictramp_VERSION_slot_stride
        .globl  statictramp_VERSION_slot_stride
        .set    statictramp_VERSION_slot_stride, SLOT_STRIDE

        .if     BARE                    // on bare metal no code reads the note at run time, so it is not loaded
        .section .note.statictramp,"",%note
        .else
        .section .note.statictramp,"a",%note
        .endif
        .balign 4
        .long   2f - 1f, 4f - 3f, 1     // name size, descriptor size, note version
1:      .asciz  "statictramp"
2:      .balign 4
3:      .long   SLOTS, STUB_STRIDE, SLOT_STRIDE
        .ifdef  SHORT_DISTANCES // set by the architecture's stub file if an assembler does not support 64-bit distances
        .long   2               // the distances are signed 32-bit numbers
        .else
        .long   BARE            // 1: the addresses are absolute
        .endif
        .if     BARE            // a note that is not loaded has no address
        .if     WORD == 8
        .quad   statictramp_VERSION_stubs, statictramp_VERSION_slots
        .else
        .long   statictramp_VERSION_stubs, 0
        .long   statictramp_VERSION_slots, 0
        .endif
        .elseif WORD == 8
        .ifdef  SHORT_DISTANCES
        .long   statictramp_VERSION_stubs - ., 0
        .long   statictramp_VERSION_slots - ., 0
        .else
        .quad   statictramp_VERSION_stubs - .       // relative to this field, so that the loader has nothing to relocate
        .quad   statictramp_VERSION_slots - .       // likewise relative to its own field
        .endif
        .else                   // these distances are only 32 bits wide, so code that reads them must add them modulo 2^32
        .ifdef  HIGH_WORD_FIRST // set by the architecture's stub file
        .long   0
        .long   statictramp_VERSION_stubs - . + 4
        .long   0
        .long   statictramp_VERSION_slots - . + 4
        .else
        .long   statictramp_VERSION_stubs - ., 0
        .long   statictramp_VERSION_slots - ., 0
        .endif
        .endif
4:
        .section .note.GNU-stack,"",%progbits
