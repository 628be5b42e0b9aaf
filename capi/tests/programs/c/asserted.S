/* Tables with one error each, which the linker script must reject. */

/* The C library's prefix and the version of the linker script. */
#ifndef VERSION
#define VERSION c_0_1
#endif
#define PASTE(version, name) statictramp_##version##_##name
#define EXPANDED(version, name) PASTE(version, name)
#define OURS(name) EXPANDED(VERSION, name)

#ifdef WRONG_SLOTS
#define SLOTS_END 40
#else
#define SLOTS_END 64
#endif
#ifdef WRONG_STUBS
#define STUBS_END 32
#else
#define STUBS_END 64
#endif
#ifdef WRONG_PLACE
#define SLOTS_SECTION .bss.elsewhere
#else
#define SLOTS_SECTION .tramp_data
#endif

        .globl  main
        .text
main:   .long   0                       /* never runs */
        .globl  OURS(stubs), OURS(stubs_end)
OURS(stubs):
        .skip   STUBS_END
OURS(stubs_end):

        .section SLOTS_SECTION,"aw",%nobits
        .globl  OURS(slots), OURS(slots_end)
OURS(slots):
        .skip   SLOTS_END
OURS(slots_end):

        .globl  OURS(slot_count), OURS(slot_stride), OURS(stub_stride)
        .set    OURS(slot_count), 2
        .set    OURS(slot_stride), 32
        .set    OURS(stub_stride), 32
        .section .note.GNU-stack,"",%progbits
