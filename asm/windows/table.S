// The Windows counterpart of ../table.S: the slots, and the list of stubs for Control Flow Guard. The linker puts the
// slots' section into .bss.

        .section .bss$statictramp,"bw"
        .balign 64                      // slots share no cache line with other data
        .globl  statictramp_VERSION_slots
statictramp_VERSION_slots:
        .skip   SLOTS * SLOT_STRIDE
        .globl  statictramp_VERSION_slots_end
statictramp_VERSION_slots_end:

// Control Flow Guard terminates a program that calls an address which its image does not list. The linker makes that
// list. For an object whose code is guarded (bit 11 of @feat.00), it uses the symbol numbers in .gfids$y, which it
// removes; for any other object, it lists each function that a relocation names. The bit applies to all functions of an
// object, so the object's producer sets it: rustc has set the symbol before this text; in a file that contains only
// stubs, it is not set.
//
// The targets of stubs need not be listed, because their jumps are not checked. GNU as lets relocations name sections
// instead of functions, so it makes no list.
        .macro  statictramp_VERSION_list how, number
        \how    statictramp_VERSION_stub_\number
        .endm
        .macro  statictramp_VERSION_list_all how
        .altmacro
        .set    i, 0
        .rept   SLOTS
        statictramp_VERSION_list \how, %i
        .set    i, i + 1
        .endr
        .noaltmacro
        .endm

        .if     LISTED
        .set    GUARDED, 0
        .ifdef  "@feat.00"
        .set    GUARDED, "@feat.00" & 0x800
        .endif
        .if     GUARDED
        .section .gfids$y,"dr"
        .balign 4
        statictramp_VERSION_list_all .symidx
        .else
        .section .rdata$statictramp,"dr"
        .balign 4
        statictramp_VERSION_list_all .rva
        .endif
        .endif
