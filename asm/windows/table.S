// What ../table.S is for ELF: the slots, and the stubs for Control Flow Guard. The linker puts the slots' section into .bss.

        .section .bss$statictramp,"bw"
        .balign 64                      // slots share no cache line with other data
        .globl  statictramp_VERSION_slots
statictramp_VERSION_slots:
        .skip   SLOTS * SLOT_STRIDE
        .globl  statictramp_VERSION_slots_end
statictramp_VERSION_slots_end:

// Control Flow Guard ends a program that calls what its image does not list. The linker makes that list: of an object whose
// code is guarded, bit 11 of @feat.00, from the numbers of symbols in .gfids$y, which it takes out; of any other, of each
// function that a relocation names. Whose object this is decides about the bit: it speaks for all functions in it. rustc
// has set the symbol before it comes here, and nobody has in a file that holds stubs alone.
//
// What stubs jump to needs no place in it: nobody checks their jumps. GNU as lets relocations name sections in place of
// functions, so it makes no list.
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
