// A function that leaves addresses of its stack in argument registers, and one that writes a trampoline to the memory of
// its caller. The address is the fifth argument on RISC-V, the first on x86-64, and the second on AArch64. With
// -DENDS_WITH_CALL, the first function ends with a call that does not return.

typedef unsigned word;

#ifdef ENDS_WITH_CALL
#define END(call) call " abort\n"
#else
#define END(call) "ret\n"
#endif

__asm__(".text\n.globl leaves\nleaves:\n"
#ifdef __riscv
        "mv a4, sp\n" END("call")
#elif defined __x86_64__
        "lea -64(%rsp), %rdi\nxor %eax, %eax\n" END("call")
#else
        "mov x1, sp\n" END("bl")
#endif
);

#ifdef __riscv
void writes(int a, int b, int c, int d, volatile word *to)
{
    to[0] = 0x397;
    to[1] = 0x183b283;
    to[2] = 0x103b383;
    to[3] = 0x28067;
}
#elif defined __x86_64__
void writes(volatile char *to, unsigned long callee, unsigned long chain)
{
    *(volatile unsigned short *)to = 0xbb49;
    *(volatile unsigned long *)(to + 2) = callee;
    *(volatile unsigned short *)(to + 10) = 0xba49;
    *(volatile unsigned long *)(to + 12) = chain;
    *(volatile unsigned *)(to + 20) = 0x90e3ff49;
}
#else
void writes(int a, volatile word *to)
{
    to[0] = 0x5800008f;
    to[1] = 0x580000b1;
    to[2] = 0xd61f0220;
}
#endif
