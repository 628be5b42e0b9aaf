/* Tables that are wrong in one way each: the linker script must refuse them. */

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
main:   .long   0                       /* never run */
        .globl  statictramp_0_1_stubs, statictramp_0_1_stubs_end
statictramp_0_1_stubs:
        .skip   STUBS_END
statictramp_0_1_stubs_end:

        .section SLOTS_SECTION,"aw",%nobits
        .globl  statictramp_0_1_slots, statictramp_0_1_slots_end
statictramp_0_1_slots:
        .skip   SLOTS_END
statictramp_0_1_slots_end:

        .globl  statictramp_0_1_slot_count, statictramp_0_1_slot_stride, statictramp_0_1_stub_stride
        .set    statictramp_0_1_slot_count, 2
        .set    statictramp_0_1_slot_stride, 32
        .set    statictramp_0_1_stub_stride, 32
        .section .note.GNU-stack,"",%progbits
