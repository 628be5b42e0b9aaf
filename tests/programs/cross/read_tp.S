@ The C library's routine for the thread pointer, reached by way of what may change as much as it may: r12, lr and the
@ flags. It goes no further if the stack is not aligned as at every call.

        .syntax unified
        .arm
        .text
        .globl  __aeabi_read_tp
        .type   __aeabi_read_tp, %function
__aeabi_read_tp:
        tst     sp, #7
        udfne   #0
        mrc     p15, 0, r0, c13, c0, 3
        mov     r12, lr
        movs    lr, #0
        bx      r12
        .size   __aeabi_read_tp, . - __aeabi_read_tp
        .section .note.GNU-stack,"",%progbits
