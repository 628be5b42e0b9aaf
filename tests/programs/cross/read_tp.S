@ The routine that returns the thread pointer. On the way to it, r12, lr and the flags may change, and this version
@ changes all of them. It faults if the stack is not aligned as the ABI requires at every call.

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
