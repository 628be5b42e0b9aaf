/* Coroutines on stacks that are parts of the main stack, which call through trampolines on their own stacks and on one another's. */
#include <stdio.h>
#include <ucontext.h>

static ucontext_t main_context, contexts[8];
static int (*shared[8])(int);
static long total;

__attribute__((noipa)) static int apply(int (*f)(int), int x) { return f(x); }

static void body(int number)
{
    int own = number * 10;
    int nested(int x) { return own += x; }
    shared[number] = nested;
    for (int i = 0; i < 20; i++) {
        total += apply(nested, i);
        if (shared[(number + 1) % 8])
            total += apply(shared[(number + 1) % 8], 1);
        swapcontext(&contexts[number], &main_context);
    }
    shared[number] = 0;
}

int main(void)
{
    int started = 0;
    char stacks[8][65536];
    void begin(int number) { started++; body(number); }
    for (int i = 0; i < 8; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = stacks[i];
        contexts[i].uc_stack.ss_size = 65536;
        contexts[i].uc_link = &main_context;
        makecontext(&contexts[i], (void (*)(void))begin, 1, i);
    }
    for (int round = 0; round < 21; round++)
        for (int i = 0; i < 8; i++)
            swapcontext(&main_context, &contexts[i]);
    printf("%d %ld\n", started, total);
    return total % 100;
}
