/* Two cores share the table. A Cortex-M0+ has no atomic exchange, so the program's critical section masks interrupts and takes a lock
   that both cores see. On the RP2040 the lock is one of the SIO block's hardware spin locks. QEMU has no RP2040, so this program
   runs on the two Cortex-M33 cores of mps2-an521, with the library for a Cortex-M0, and atomic exchanges replace the hardware
   lock. */

#include "board.h"
#include <stdbool.h>
#include <statictramp.h>

#ifdef PICO
/* A read takes the lock if the result is not 0; any write releases the lock. The SDK reserves some of the 32 locks. */
#define SPINLOCK ((volatile uint32_t *)(0xd0000100 + 4 * 30))
static bool try_lock(void) { return *SPINLOCK != 0; }
static void unlock(void) { *SPINLOCK = 0; }
#elif defined(NO_LOCK) /* this variant shows that the lock is needed: the program fails without it */
static bool try_lock(void) { return true; }
static void unlock(void) {}
#else
static bool locked;
static bool try_lock(void) { return !__atomic_test_and_set(&locked, __ATOMIC_ACQUIRE); }
static void unlock(void) { __atomic_clear(&locked, __ATOMIC_RELEASE); }
#endif

static volatile unsigned sections;

/* The library calls these functions instead of its own functions for a single core. Interrupts are masked before the lock is
   taken, because an interrupt handler on the core that holds the lock would wait for it forever. */
bool _critical_section_1_0_acquire(void)
{
    uint32_t masked;
    __asm__ volatile("mrs %0, PRIMASK\n cpsid i" : "=r"(masked)::"memory");
    while (!try_lock())
        ;
    __asm__ volatile("dmb" ::: "memory");
    sections++;
    return masked;
}
void _critical_section_1_0_release(bool masked)
{
    __asm__ volatile("dmb" ::: "memory");
    unlock();
    if (!masked)
        __asm__ volatile("cpsie i" ::: "memory");
}

#ifndef ROUNDS
#define ROUNDS 10000
#endif
enum { HELD = 4 };
struct core {
    volatile unsigned calls, failed;
    volatile bool done;
};
static void count(struct core *core, unsigned of) { core->calls += of; }

/* Each core makes, calls and frees trampolines. Each call must get the context of the core that makes it. */
static void use(struct core *core)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        void (*held[HELD])(unsigned);
        for (unsigned n = 0; n < HELD; n++) {
            held[n] = (void (*)(unsigned))STATICTRAMP_BIND(count, core, void, unsigned);
            if (held[n])
                held[n](1);
            else
                core->failed++;
        }
        for (unsigned n = 0; n < HELD; n++)
            core->failed += statictramp_free((statictramp_fn)held[n]) != 0;
    }
    core->done = true;
}

static struct core cores[2];
static char stack[2048] __attribute__((aligned(8), section(".stack1")));

static void core1(void)
{
    use(&cores[1]);
    for (;;)
        __asm__ volatile("wfi");
}

/* The SDK's multicore_launch_core1. On mps2-an521, the second core waits until a register releases it, and starts with the vectors
   at an address in another register. */
static void launch_core1(void)
{
    static const struct {
        const void *stack;
        void (*start)(void);
    } vectors __attribute__((aligned(128))) = {stack + sizeof stack, core1};
    *(volatile uint32_t *)0x50021114 = (uint32_t)&vectors;
    *(volatile uint32_t *)0x50021118 = 0;
}

int main(void)
{
    launch_core1();
    use(&cores[0]);
    while (!cores[1].done)
        ;
    check(cores[0].failed == 0 && cores[1].failed == 0);
    check(sections >= 2 * ROUNDS * HELD);
    check(statictramp_live() == 0);
    say_number("Pico SDK: calls on the first core: ", (long)cores[0].calls);
    say_number("Pico SDK: calls on the second core: ", (long)cores[1].calls);
    return 0;
}
