/* Output and exit through the debugger (semihosting), for QEMU and for a board with a probe. */

#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Prints a text. */
void say(const char *text);
/* Prints a text, a number and the end of the line. */
void say_number(const char *text, long number);
/* Ends the program. */
__attribute__((noreturn)) void leave(int status);

/* Ends the program with a message if a condition does not hold. */
#define check(condition)                       \
    do {                                       \
        if (!(condition)) {                    \
            say("failed: " #condition "\n");   \
            leave(1);                          \
        }                                      \
    } while (0)

#if defined(__arm__)
/* Enables an interrupt of the processor, and makes it pending. */
static inline void enable_interrupt(unsigned number) { *(volatile uint32_t *)0xe000e100 = UINT32_C(1) << number; }
static inline void pend_interrupt(unsigned number)
{
    *(volatile uint32_t *)0xe000e200 = UINT32_C(1) << number;
    __asm__ volatile("dsb\n isb" ::: "memory");
}
#endif

#ifdef __cplusplus
}
#endif

#endif
