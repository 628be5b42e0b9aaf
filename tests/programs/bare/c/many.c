/* Makes the largest number of trampolines and calls each, to check that stubs and slots match in the whole table. */

#include <stdint.h>
#include "statictramp.h"

static struct context {
    statictramp_fn made;
} contexts[65536];

static int number(const struct context *context, int more) { return (int)(context - contexts) + more; }

__attribute__((noreturn)) static void leave(int status)
{
    const uintptr_t why[2] = {0x20026, (uintptr_t)status};
    register int r0 __asm__("r0") = 0x20;
    register const void *r1 __asm__("r1") = why;
    __asm__ volatile("bkpt 0xab" : : "r"(r0), "r"(r1) : "memory");
    for (;;)
        ;
}

void start(void)
{
    int made = 0;
    while (made < SLOTS && (contexts[made].made = statictramp_bind((statictramp_fn)number, &contexts[made], 0)))
        made++;
    if (made != SLOTS || statictramp_bind((statictramp_fn)number, contexts, 0))
        leave(2);
    for (int i = 0; i < SLOTS; i++)
        if (((int (*)(int, int))contexts[i].made)(0, 1) != i + 1)
            leave(3);
    leave(0);
}

static void fault(void) { leave(4); }

extern char stack_top[];
__attribute__((section(".vectors"), used)) static const void *const vectors[4] = {stack_top, start, fault, fault};
