/* Tests a heap next to the slots: malloc must not return the memory of the slots. The test runs on QEMU's
   mps2-an385 with newlib and handwritten start-up code (-DBY_HAND), and on mps2-an385 and virt with picolibc and
   its own start-up code. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "statictramp.h"

#ifdef __riscv
static void print(const char *text)
{
    while (*text)
        *(volatile char *)0x10000000 = *text++;
}

static void leave(int status)
{
    *(volatile uint32_t *)0x100000 = status ? (uint32_t)status << 16 | 0x3333 : 0x5555;
    for (;;)
        ;
}
#else
static int host(int what, const void *with)
{
    register int r0 __asm__("r0") = what;
    register const void *r1 __asm__("r1") = with;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static void print(const char *text) { host(4, text); }

static void leave(int status)
{
    const uintptr_t why[2] = {0x20026, (uintptr_t)status};
    host(0x20, why);
    for (;;)
        ;
}
#endif

#ifdef __riscv
__attribute__((aligned(4)))
#endif
static void fault(void)
{
    print("a fault: the heap lies over the slots\n");
    leave(1);
}

static int added(const int *context, int more) { return *context + more; }

#ifndef BY_HAND
static volatile int initial = 7; /* start-up code copies it */
#endif

int main(void)
{
#ifdef __riscv
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrw mtvec, %0\n.option pop" ::"r"(fault));
#endif
#ifndef BY_HAND
    if (initial != 7)
        leave(4);
#endif
    int base = 40;
    int (*sum)(int, int) = (int (*)(int, int))statictramp_bind((statictramp_fn)added, &base, 0);
    char *heap = malloc(4000);
    if (!sum || !heap)
        leave(2);
    memset(heap, 0xef, 4000);
    __asm__ volatile("" ::"r"(heap) : "memory"); /* prevents the compiler from removing it */
    if (sum(-1, 2) != 42)
        leave(3);
    print("a heap and the slots are apart\n");
    leave(0);
    return 0;
}

#ifdef BY_HAND
void _start(void) { leave(main()); }

/* newlib's own start-up code is not used, because it needs parts of newlib that are missing here. */
void _exit(int status)
{
    leave(status);
    for (;;)
        ;
}

__attribute__((section(".vectors"), used)) const void *const vectors[16] = {
    (void *)0x20008000, _start, fault, fault, fault, fault, fault,
};
#elif !defined(__riscv)
/* The names of picolibc's handlers. */
void arm_hardfault_isr(void) { fault(); }
#endif
