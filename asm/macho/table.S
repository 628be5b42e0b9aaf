// Parts common to both architectures on macOS: the end of the stubs, and the slots.
//
// The build script appends this file to the architecture's stub file, which sets STUB_STRIDE and defines the stubs. The
// build script itself defines SLOTS and SLOT_STRIDE.
//
// The linker may split an object file into atoms at its symbols, and reorder these atoms (subsections_via_symbols), so the
// symbol for the end of the stubs must not begin an atom.
        .private_extern _statictramp_VERSION_stubs_end
        .globl  _statictramp_VERSION_stubs_end
        .alt_entry _statictramp_VERSION_stubs_end
_statictramp_VERSION_stubs_end:
        .long   0                       // padding, so that no later code starts at this address

// The slots begin at a multiple of 128 bytes, the length of a cache line on Apple's own processors, so that they share
// no cache line with the data before them.
        .private_extern _statictramp_VERSION_slots
        .globl  _statictramp_VERSION_slots
        .zerofill __DATA,__statictramp,_statictramp_VERSION_slots,SLOTS * SLOT_STRIDE,7
