/* Functions for a board without an operating system: start-up code, output (semihosting) and, on Cortex-M, a
   timer interrupt whose handler is in a table in RAM. */

#include <stddef.h>
#include <stdint.h>

int main(void);
extern uint64_t bss_start[], bss_end[];
extern char stack_top[];

#if defined(__arm__)
static int host(int what, const void *with)
{
    register int r0 __asm__("r0") = what;
    register const void *r1 __asm__("r1") = with;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}
#else
static long host(long what, const void *with)
{
    register long a0 __asm__("a0") = what;
    register const void *a1 __asm__("a1") = with;
    __asm__ volatile(".balign 16\n.option push\n.option norvc\nslli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\n.option pop"
                     : "+r"(a0)
                     : "r"(a1)
                     : "memory");
    return a0;
}
#endif

static void say(const char *text) { host(4, text); }

_Noreturn static void leave(int status)
{
    const uintptr_t why[2] = {0x20026, (uintptr_t)status};
    host(0x20, why);
    for (;;)
        ;
}

#define check(what) \
    do { \
        if (!(what)) { \
            say("failed: " #what "\n"); \
            leave(1); \
        } \
    } while (0)

__attribute__((used)) static void run(void)
{
    for (uint64_t *word = bss_start; word < bss_end; word++)
        *(volatile uint64_t *)word = 0;
    leave(main());
}

static void fault(void)
{
    say("a fault that nothing here should cause\n");
    leave(1);
}

#if defined(__arm__)
void start(void) { run(); }

typedef void (*vector)(void);
__attribute__((section(".vectors"), used)) static const vector vectors[16] = {
    (vector)stack_top, start, fault, fault, fault, fault, fault, fault, 0, 0, 0, fault, fault, 0, fault, fault,
};
#else
__attribute__((naked, section(".vectors"))) void start(void)
{
    __asm__("la sp, stack_top\n"
            "la t0, %0\n"
            "csrw mtvec, t0\n"
            "li t0, 0x6000\n" /* enables floating-point registers */
            "csrs mstatus, t0\n"
            "tail run" ::"i"(fault));
}
#endif

#if defined(__ARM_ARCH_7M__)
/* Makes the processor call `handler` at each tick. */
static void start_timer(vector handler)
{
    static vector in_ram[64] __attribute__((aligned(256)));
    for (int i = 0; i < 16; i++)
        in_ram[i] = vectors[i];
    in_ram[15] = handler;
    *(volatile uint32_t *)0xe000ed08 = (uint32_t)in_ram;
    *(volatile uint32_t *)0xe000e014 = 999;
    *(volatile uint32_t *)0xe000e018 = 0;
    *(volatile uint32_t *)0xe000e010 = 7;
}
static void stop_timer(void) { *(volatile uint32_t *)0xe000e010 = 0; }
#endif
