// What both instruction sets share on macOS: the end of the stubs, and the slots.
//
// The build script puts this after the file of the instruction set, which has set STUB_STRIDE and defined the stubs.
// It sets SLOTS and SLOT_STRIDE itself.
//
// A linker may cut a file at its symbols and order the pieces anew (subsections_via_symbols): the end is no piece of its own.
        .private_extern _statictramp_VERSION_stubs_end
        .globl  _statictramp_VERSION_stubs_end
        .alt_entry _statictramp_VERSION_stubs_end
_statictramp_VERSION_stubs_end:
        .long   0                       // so that what a linker puts behind has another address

// Slots share no cache line with other data: 128 bytes on Apple's processors.
        .private_extern _statictramp_VERSION_slots
        .globl  _statictramp_VERSION_slots
        .zerofill __DATA,__statictramp,_statictramp_VERSION_slots,SLOTS * SLOT_STRIDE,7
