/* Tables with one error each, which the linker scripts must reject. */

#ifdef WRONG_SLOTS
#define MORE_SLOTS 32
#else
#define MORE_SLOTS 0
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

        .section .text.statictramp,"ax",%progbits
        .globl  statictramp_0_1_stubs, statictramp_0_1_stubs_end
statictramp_0_1_stubs:
        .long   statictramp_0_1_slots   /* never runs */
        .skip   STUBS_END - 4
statictramp_0_1_stubs_end:
        .long   statictramp_error_add_INCLUDE_tramp_x_to_memory_x

        .section SLOTS_SECTION,"aw",%nobits
        .balign 64
        .globl  statictramp_0_1_slots
statictramp_0_1_slots:
        .skip   64 + MORE_SLOTS

        .globl  statictramp_0_1_slot_count, statictramp_0_1_stub_stride, statictramp_0_1_slots_room
        .set    statictramp_0_1_slot_count, 2
        .set    statictramp_0_1_stub_stride, 32
        .set    statictramp_0_1_slots_room, 64
        .section .note.GNU-stack,"",%progbits
