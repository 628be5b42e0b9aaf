/* Counts the instructions that make and free a trampoline while LIVE others are live or, with THUNKS, one of the handwritten thunks
   in thunks.cpp. QEMU's clock counts instructions (-icount shift=10): an instruction takes 1,024 ns, and a tick
   of the timer takes 40 ns. */

#include "board.h"
#include "statictramp.h"

static unsigned now(void) { return 0xffffff - *(volatile uint32_t *)0xe000e018; }

#ifndef LIVE
#define LIVE 0
#endif
#ifdef THUNKS
typedef void function(int);
function *thunk_make(void (*callee)(void *, int), void *context);
void thunk_free(function *);
static void callee(void *context, int number) { (void)context, (void)number; }
#define MAKE() thunk_make(callee, NULL)
#define FREE thunk_free
#else
typedef void function(void);
static int callee(void) { return 0; }
#define MAKE() statictramp_bind((statictramp_fn)callee, NULL, 0)
#define FREE statictramp_free
#endif

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
    for (int i = 0; i < LIVE; i++)
        check(MAKE());
    for (int round = 0; round < 2; round++) { /* the second uses the slot that the first freed */
        unsigned start = now();
        unsigned nothing = now() - start;
        start = now();
        function *t = MAKE();
        FREE(t);
        count = now() - start - nothing;
        check(t);
    }
    print("make and free: ", (count * 40 + 512) / 1024);
    return 0;
}
