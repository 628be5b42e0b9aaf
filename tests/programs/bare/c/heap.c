/* A heap beside the slots, on QEMU's mps2-an385, with newlib and a start-up by hand (-DBY_HAND) or with picolibc and its
   own: malloc must not return the slots' memory. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "statictramp.h"

static int host(int what, const void *with)
{
    register int r0 __asm__("r0") = what;
    register const void *r1 __asm__("r1") = with;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static void leave(int status)
{
    const uintptr_t why[2] = {0x20026, (uintptr_t)status};
    host(0x20, why);
    for (;;)
        ;
}

static void fault(void)
{
    host(4, "a fault: the heap lies over the slots\n");
    leave(1);
}

static int added(const int *context, int more) { return *context + more; }

int main(void)
{
    int base = 40;
    int (*sum)(int, int) = (int (*)(int, int))statictramp_bind((statictramp_fn)added, &base, 0);
    char *heap = malloc(4000);
    if (!sum || !heap)
        leave(2);
    memset(heap, 0xef, 4000);
    __asm__ volatile("" ::"r"(heap) : "memory"); /* the compiler must not leave it out */
    if (sum(-1, 2) != 42)
        leave(3);
    host(4, "a heap and the slots are apart\n");
    leave(0);
    return 0;
}

#ifdef BY_HAND
void _start(void) { leave(main()); }

/* newlib's own wants more of newlib than there is here. */
void _exit(int status)
{
    leave(status);
    for (;;)
        ;
}

__attribute__((section(".vectors"), used)) const void *const vectors[16] = {
    (void *)0x20008000, _start, fault, fault, fault, fault, fault,
};
#else
/* The names of picolibc's handlers. */
void arm_hardfault_isr(void) { fault(); }
#endif
