/* Arm: functions that refer to the template of a trampoline, or to the constant before it. */
    .syntax unified
    .section .rodata
    .balign 8
constant:
    .word 1, 2
template:
    .hword 0xf8df, 0xc004, 0xf8df, 0xf004
    .word 0, 0

    .text
    .thumb
#ifdef REFERS
    .global refers
    .thumb_func
refers:
    ldr r0, 1f
0:  add r0, pc
    ldmia r0, {r0, r1}
    bx lr
    .balign 4
1:  .word constant - (0b + 4)
#endif
#ifdef BASE
    .global copies
    .thumb_func
copies:
    push {r4, lr}
    mov lr, r0
    sub sp, #24
    ldr r3, 2f
    add r4, sp, #4
1:  add r3, pc
    ldmia r3, {r0, r1, r2, r3}
    stmia.w BASE, {r0, r1, r2, r3}
    add sp, #24
    pop {r4, pc}
    .balign 4
2:  .word template - (1b + 4)
#endif
    .section .note.GNU-stack, "", %progbits
