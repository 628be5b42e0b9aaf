/* Tests an unprivileged thread that runs Armv6-M code on a Cortex-M3. It cannot mask interrupts, so it
   gets no trampolines. It can call the trampolines of other threads if one MPU region covers the slots. */

#include "board.h"
#include "statictramp.h"

extern char __statictramp_start[], __statictramp_end[];
static volatile unsigned faults, made_by_handler, secret;

static int added(const int *context, int more) { return *context + more; }
static const int base = 40; /* in flash, which all code may read */

static void set_control(unsigned control) { __asm__ volatile("msr CONTROL, %0\n isb" ::"r"(control) : "memory"); }

/* Restores privilege. According to CONTROL, the thread is still unprivileged. */
static void supervisor_call(void)
{
    statictramp_fn t = statictramp_alloc((statictramp_fn)added, NULL);
    made_by_handler += t && statictramp_free(t) == 0;
    set_control(0);
}
/* Counts the fault and continues after the two-byte load. */
__attribute__((used)) static void count_fault(uint32_t *frame)
{
    faults++;
    frame[6] += 2;
}
__attribute__((naked)) static void hard_fault(void) { __asm__("mrs r0, MSP\n ldr r1, =count_fault\n bx r1"); }

static void region(unsigned number, uintptr_t at, size_t bytes, uint32_t rights)
{
    unsigned log = 0;
    while ((size_t)1 << log < bytes)
        log++;
    check((size_t)1 << log == bytes && at % bytes == 0);
    *(volatile uint32_t *)0xe000ed98 = number;
    *(volatile uint32_t *)0xe000ed9c = at;
    *(volatile uint32_t *)0xe000eda0 = rights << 24 | (log - 1) << 1 | 1;
}

int main(void)
{
    static vector in_ram[64] __attribute__((aligned(256)));
    for (int i = 0; i < 16; i++)
        in_ram[i] = vectors[i];
    in_ram[3] = hard_fault;
    in_ram[11] = supervisor_call;
    *(volatile uint32_t *)0xe000ed08 = (uint32_t)in_ram;

    int (*sum)(int, int) = (int (*)(int, int))statictramp_bind((statictramp_fn)added, (void *)&base, 0);
    statictramp_fn other = statictramp_alloc((statictramp_fn)added, NULL);
    check(sum && other);
    set_control(1);
    statictramp_fn rejected = statictramp_alloc((statictramp_fn)added, NULL);
    int freed = statictramp_free(other);
    __asm__ volatile("svc 0" ::: "memory");
    check(!rejected && freed == 0 && made_by_handler == 1);
    other = statictramp_alloc((statictramp_fn)added, NULL);
    check(other && statictramp_free(other) == 0);
    say("an unprivileged thread gets no trampoline\n");

    region(0, 0, 256 * 1024, 6);                                                          /* all code may read */
    region(1, (uintptr_t)stack_top - 4096, 4096, 3);                                      /* all code may write */
    region(2, (uintptr_t)__statictramp_start, __statictramp_end - __statictramp_start, 2); /* unprivileged code may read */
    *(volatile uint32_t *)0xe000ed94 = 5;
    __asm__ volatile("dsb\n isb");
    set_control(1);
    int is = sum(-1, 2);
    __asm__ volatile("svc 0" ::: "memory");
    check(is == 42 && faults == 0);
    set_control(1);
    (void)secret; /* no other RAM is readable */
    __asm__ volatile("svc 0" ::: "memory");
    check(faults == 1);
    say("one region of the MPU is enough for a call\n");
    return 0;
}
