/* Counts the instructions that make and free a trampoline. QEMU's clock counts instructions (-icount shift=10): one takes
   1,024 ns, and a tick of the timer 40 ns. */

#include "board.h"
#include "statictramp.h"

static unsigned now(void) { return 0xffffff - *(volatile uint32_t *)0xe000e018; }
static int callee(void) { return 0; }

static void print(const char *name, unsigned number)
{
    char digits[12], *at = &digits[11];
    *at = 0;
    for (*--at = '\n'; number || at == &digits[10]; number /= 10)
        *--at = (char)('0' + number % 10);
    say(name);
    say(at);
}

int main(void)
{
    *(volatile uint32_t *)0xe000e014 = 0xffffff;
    *(volatile uint32_t *)0xe000e018 = 0;
    *(volatile uint32_t *)0xe000e010 = 5;
    unsigned count = 0;
    for (int round = 0; round < 2; round++) { /* the second uses the slot that the first freed */
        unsigned start = now();
        unsigned nothing = now() - start;
        start = now();
        statictramp_fn t = statictramp_bind((statictramp_fn)callee, NULL, 0);
        statictramp_free(t);
        count = now() - start - nothing;
        check(t);
    }
    print("make and free: ", (count * 40 + 512) / 1024);
    return 0;
}
