/* Start-up code for Cortex-M and 32-bit RISC-V. The names of the script's symbols are STM32CubeMX's; another project defines its
   own with -D. */

#include "board.h"
#include <stddef.h>

#ifndef DATA_FROM
#define DATA_FROM _sidata
#define DATA_START _sdata
#define DATA_END _edata
#define BSS_START _sbss
#define BSS_END _ebss
#define STACK_TOP _estack
#endif

extern uint32_t DATA_FROM[], DATA_START[], DATA_END[], BSS_START[], BSS_END[];
extern char STACK_TOP[];
typedef void (*function)(void);
extern const function __init_array_start[], __init_array_end[];
int main(void);

#if defined(__arm__)
static int host(int operation, const void *argument)
{
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}
#else
static int host(int operation, const void *argument)
{
    register int a0 __asm__("a0") = operation;
    register const void *a1 __asm__("a1") = argument;
    __asm__ volatile(".balign 16\n.option push\n.option norvc\nslli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\n.option pop"
                     : "+r"(a0)
                     : "r"(a1)
                     : "memory");
    return a0;
}
#endif

void say(const char *text) { host(4, text); }

void say_number(const char *text, long number)
{
    char digits[16];
    char *first = &digits[15];
    unsigned long left = number < 0 ? 0ul - (unsigned long)number : (unsigned long)number;
    *first = 0;
    *--first = '\n';
    do
        *--first = (char)('0' + left % 10);
    while (left /= 10);
    if (number < 0)
        *--first = '-';
    say(text);
    say(first);
}

__attribute__((noreturn)) void leave(int status)
{
    const uintptr_t reason[2] = {0x20026, (uintptr_t)status};
    host(0x20, reason);
    for (;;)
        ;
}

/* Compilers call these functions even in a program without libc. The stores are volatile, so that no loop becomes a call to
 * itself. */
__attribute__((weak)) void *memcpy(void *to, const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}
__attribute__((weak)) void *memset(void *to, int byte, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((volatile char *)to)[i] = (char)byte;
    return to;
}

static void unexpected(void)
{
    say("an unexpected exception\n");
    leave(1);
}

__attribute__((used, noinline)) static void run(void)
{
    const volatile uint32_t *from = DATA_FROM;
    for (volatile uint32_t *word = DATA_START; word < DATA_END; word++)
        *word = *from++;
    for (volatile uint32_t *word = BSS_START; word < BSS_END; word++)
        *word = 0;
    for (const function *constructor = __init_array_start; constructor < __init_array_end; constructor++)
        (*constructor)();
    leave(main());
}

#if defined(__arm__)
void Reset_Handler(void)
{
#if defined(__ARM_FP)
    *(volatile uint32_t *)0xe000ed88 |= UINT32_C(0xf) << 20; /* CPACR: the floating-point unit is off after a reset */
    __asm__ volatile("dsb\n isb" ::: "memory");
#endif
    run();
}

#define HANDLER __attribute__((weak, alias("unexpected"))) void
HANDLER HardFault_Handler(void);
HANDLER MemManage_Handler(void);
HANDLER SVC_Handler(void);
HANDLER PendSV_Handler(void);
HANDLER SysTick_Handler(void);
HANDLER IRQ0_Handler(void);
HANDLER IRQ1_Handler(void);
HANDLER IRQ2_Handler(void);

__attribute__((section(".isr_vector"), used)) static const function vectors[20] = {
    (function)STACK_TOP, Reset_Handler, unexpected,        HardFault_Handler, MemManage_Handler, unexpected,  unexpected,
    unexpected,          unexpected,    unexpected,        unexpected,        SVC_Handler,       unexpected,  unexpected,
    PendSV_Handler,      SysTick_Handler, IRQ0_Handler,    IRQ1_Handler,      IRQ2_Handler,      unexpected,
};
#else
__attribute__((naked, section(".isr_vector"))) void Reset_Handler(void)
{
    __asm__(".option arch, +zicsr\n la sp, %0\n la t0, %1\n csrw mtvec, t0\n tail run" ::"i"(STACK_TOP), "i"(unexpected));
}
#endif
