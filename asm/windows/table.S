// The Windows counterpart of ../table.S: the slots, and the list of stubs for Control Flow Guard. The linker puts the slots'
// section into .bss.

        .section .bss$statictramp,"bw"
        .balign 64                      // no data before the slots shares a 64-byte cache line with them
        .globl  statictramp_VERSION_slots
statictramp_VERSION_slots:
        .skip   SLOTS * SLOT_STRIDE
        .globl  statictramp_VERSION_slots_end
statictramp_VERSION_slots_end:

// If an image uses Control Flow Guard, the linker lists the addresses that may be called indirectly. The system
// terminates the program if a checked call targets any other address in the image. For an object whose code is guarded
// (bit 11 of @feat.00), the linker uses the symbol numbers in .gfids$y, and removes that section. For any other object,
// the linker lists each function that a relocation refers to. The bit applies to the whole object, so it is set by the
// tool that creates the object. rustc sets the bit before it emits this assembly. A file that contains only stubs does
// not set @feat.00.
//
// The targets of the stubs' jumps need not be listed, because these jumps are not checked. If GNU `as` assembles this
// file, its relocations refer to sections rather than functions, so the build script sets LISTED to 0 and the stubs are
// not listed.
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
