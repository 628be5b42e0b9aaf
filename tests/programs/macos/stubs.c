/* Tests the stubs by themselves: fills every slot by hand and calls every stub. Returns 0, or the line
   number of the first error. */

#ifndef MANY
#define MANY 1024
#endif
enum { SLOTS = MANY };
#if defined(__aarch64__) || LANDING_PADS
enum { STRIDE = 32 };
#else
enum { STRIDE = 16 };
#endif

typedef long callee(long x, double y);
struct slot {
    void *chain;
    callee *entry;
    long rest[2];
};
extern char statictramp_0_1_stubs[], statictramp_0_1_stubs_end[];
extern struct slot statictramp_0_1_slots[SLOTS];

/* LLVM's nest: the number at the chain and both arguments (tests/programs/cross/nest.ll). */
callee nested;
/* The static chain where GCC's code expects it. */
callee of_gcc;
#if defined(__aarch64__)
__asm__(".text\n.globl _of_gcc\n.p2align 2\n_of_gcc: ldr x9, [x16]\nadd x0, x0, x9\nret\n");
#else
__asm__(".text\n.globl _of_gcc\n_of_gcc: mov (%r10), %rax\nadd %rdi, %rax\nret\n");
#endif

static long numbers[SLOTS];

static int with(callee *entry, long more)
{
    for (int i = 0; i < SLOTS; i++) {
        numbers[i] = 1000 * i;
        statictramp_0_1_slots[i].chain = &numbers[i];
        statictramp_0_1_slots[i].entry = entry;
    }
    for (int i = SLOTS - 1; i >= 0; i--)
        if (((callee *)(statictramp_0_1_stubs + i * STRIDE))(i, 0.5 + more) != 1001 * i + more)
            return __LINE__;
    return 0;
}

int run(void)
{
    if (statictramp_0_1_stubs_end - statictramp_0_1_stubs != SLOTS * STRIDE)
        return __LINE__;
    if ((unsigned long)statictramp_0_1_stubs % 64 != 0 || (unsigned long)statictramp_0_1_slots % 128 != 0)
        return __LINE__;
    int line = with(nested, 7);
    return line ? line : with(of_gcc, 0);
}

/* The control: the entry is data. */
int run_data(void)
{
    statictramp_0_1_slots[3].entry = (callee *)statictramp_0_1_slots;
    ((callee *)(statictramp_0_1_stubs + 3 * STRIDE))(1, 1);
    return __LINE__;
}
