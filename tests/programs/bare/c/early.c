/* A trampoline that is made before start-up code clears .bss is lost, as docs/boards.md says: the next one gets its slot. */

#include "board.h"
#include "statictramp.h"

/* This memory is neither data nor zeroed data. */
static statictramp_fn *const early = (statictramp_fn *)0x20008000;

static int first(int more, const int *context) { return *context + more; }
static int second(int more, const int *context) { return *context * more; }
static const int base = 40;

__attribute__((naked)) void start_early(void)
{
    __asm__("bl make_early\n b start\n"); /* the reset handler's first call, such as SystemInit */
}
__attribute__((used)) void make_early(void) { *early = statictramp_bind((statictramp_fn)first, (void *)&base, 1); }

int main(void)
{
    check(*early && statictramp_live() == 0);
    check(((int (*)(int))*early)(2) == 42);
    statictramp_fn next = statictramp_bind((statictramp_fn)second, (void *)&base, 1);
    check(next == *early && ((int (*)(int))*early)(2) == 80);
    say("a trampoline from before .bss was cleared is lost\n");
    return 0;
}
