// Parts that both architectures have in common on macOS: the end of the stubs, and the slots.
//
// The build script appends this to the architecture's stub file, which sets STUB_STRIDE and defines the stubs. The build
// script itself defines SLOTS and SLOT_STRIDE.
//
// A linker may split a file at its symbols and reorder the pieces (subsections_via_symbols), so the symbol for the end must not
// begin a separate piece.
        .private_extern _statictramp_VERSION_stubs_end
        .globl  _statictramp_VERSION_stubs_end
        .alt_entry _statictramp_VERSION_stubs_end
_statictramp_VERSION_stubs_end:
        .long   0                       // padding, so that code after the stubs does not start at this address

// The slots begin at a cache line, so they share none with the data before them. A cache line is 128 bytes long on Apple's
// processors.
        .private_extern _statictramp_VERSION_slots
        .globl  _statictramp_VERSION_slots
        .zerofill __DATA,__statictramp,_statictramp_VERSION_slots,SLOTS * SLOT_STRIDE,7
