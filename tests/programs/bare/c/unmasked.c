/* Tests a non-maskable interrupt that arrives in the critical section of a claim, on a processor without atomic exchange.
   The section takes a lock, as on a processor with several cores, and the interrupt's handler must never wait for it. */

#include "board.h"
#include "statictramp.h"
#include <stdbool.h>

static volatile bool locked, is_due;
static volatile unsigned sections, handled;
static statictramp_fn victim;

bool _critical_section_1_0_acquire(void)
{
    unsigned masked;
    __asm__ volatile("mrs %0, PRIMASK\n cpsid i" : "=r"(masked)::"memory");
    check(!locked); /* on one core, this would wait forever */
    locked = true;
    sections++;
    if (is_due) {
        is_due = false;
        *(volatile uint32_t *)0xe000ed04 = 1u << 31;
        __asm__ volatile("dsb\n isb" ::: "memory");
    }
    return masked;
}

void _critical_section_1_0_release(bool masked)
{
    locked = false;
    __asm__ volatile("msr PRIMASK, %0" ::"r"((unsigned)masked) : "memory");
}

static const int base = 40;
static int added(int more, const int *context) { return *context + more; }

static void dead_call(size_t slot, statictramp_fn callee)
{
    check(locked && slot < statictramp_capacity() && callee == (statictramp_fn)added);
    say("a call after free is diagnosed in the handler\n");
    leave(0);
}

static void non_maskable(void)
{
    check(locked);
    statictramp_fn callee;
    check(statictramp_live() == 1 && ((int (*)(int))victim)(2) == 42);
    check(statictramp_lookup(victim, &callee, NULL) == 1 && callee == (statictramp_fn)added);
    check(!statictramp_bind((statictramp_fn)added, NULL, 1));
    check(statictramp_free(victim) == 0 && statictramp_live() == 0);
    if (handled++ == 1)
        ((int (*)(int))victim)(2);
}

static void interrupted_claim(void)
{
    victim = statictramp_bind((statictramp_fn)added, (void *)&base, 1);
    sections = 0;
    is_due = true;
    statictramp_fn other = statictramp_bind((statictramp_fn)added, (void *)&base, 1);
    check(other && other != victim && statictramp_live() == 1 && statictramp_free(other) == 0);
}

int main(void)
{
    static vector in_ram[64] __attribute__((aligned(256)));
    for (int i = 0; i < 16; i++)
        in_ram[i] = vectors[i];
    in_ram[2] = non_maskable;
    *(volatile uint32_t *)0xe000ed08 = (uint32_t)in_ram;
    statictramp_on_dead_call(dead_call);
    interrupted_claim();
    check(handled == 1 && sections == 1 && statictramp_live() == 0);
    say("a free in the handler is kept, and only a claim takes the section\n");
    interrupted_claim(); /* ends in dead_call */
    return 1;
}
