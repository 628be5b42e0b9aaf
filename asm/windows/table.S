// What ../table.S is for ELF: the slots. The linker puts the section into .bss.

        .section .bss$statictramp,"bw"
        .balign 64                      // slots share no cache line with other data
        .globl  statictramp_VERSION_slots
statictramp_VERSION_slots:
        .skip   SLOTS * SLOT_STRIDE
        .globl  statictramp_VERSION_slots_end
statictramp_VERSION_slots_end:
