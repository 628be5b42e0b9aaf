# Two functions: the first stores two parts of a trampoline, the second the last part, at the offset that would follow.
        .text
        .globl first
        .type first, @function
first:
        subq    $40, %rsp
        movw    $0xbb49, (%rsp)
        movw    $0xba49, 10(%rsp)
        addq    $40, %rsp
        END
        .size first, . - first
        .globl second
        .type second, @function
second:
        subq    $40, %rsp
        movl    $0x90e3ff49, 20(%rsp)
        addq    $40, %rsp
        ret
        .size second, . - second
        .section .note.GNU-stack,"",@progbits
