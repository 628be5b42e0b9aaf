.section .note.GNU-stack,"x",@progbits
.text
.globl f
f: ret
