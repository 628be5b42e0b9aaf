// Hosts that return from a recursion and hosts abandoned by longjmp, in turn: abandoned hosts do not use up the slots that the
// recursion has freed.

#include "statictramp.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

void *_FortranATrampolineInit(void *, void *, void *), *_FortranATrampolineAdjust(void *);
void _FortranATrampolineFree(void *);

static jmp_buf out;
static volatile int calls;

static void callee(void) { calls++; }

__attribute__((noinline)) static void host(int depth, int leave)
{
    volatile long frame[4] = {depth};
    void *handle = _FortranATrampolineInit(NULL, (void *)callee, (void *)frame);
    ((void (*)(void))_FortranATrampolineAdjust(handle))();
    if (leave)
        longjmp(out, 1);
    if (depth > 0)
        host(depth - 1, 0);
    statictramp_fn entered;
    void *chain;
    if (statictramp_lookup((statictramp_fn)_FortranATrampolineAdjust(handle), &entered, &chain) != 1 ||
        entered != callee || chain != (void *)frame)
        abort();
    _FortranATrampolineFree(handle);
    frame[0] = 0;
}

int main(void)
{
    static const int turns[][3] = {{20000, 1, 1}, {5000, 20, 20}, {500, 400, 399}, {500, 400, 1}, {5000, 1, 30}};
    for (volatile size_t turn = 0; turn < sizeof turns / sizeof *turns; turn++) {
        for (volatile int round = 0; round < turns[turn][0]; round++) {
            host(turns[turn][1], 0);
            for (volatile int left = 0; left < turns[turn][2]; left++)
                if (!setjmp(out))
                    host(0, 1);
        }
        size_t live = statictramp_live(), capacity = statictramp_capacity();
        if (live > 50 || capacity > 1024) {
            printf("%d times a recursion of %d and %d that are left: %zu live, of %zu\n", turns[turn][0], turns[turn][1],
                turns[turn][2], live, capacity);
            return 1;
        }
    }
    printf("%d calls, %zu live\n", calls, statictramp_live());
    return 0;
}
