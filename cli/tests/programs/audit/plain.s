# An assembly file without .note.GNU-stack, as if its
# author had forgotten it.
        .text
        .globl  answer
        .type   answer, @function
answer: mov     $42, %eax
        ret
