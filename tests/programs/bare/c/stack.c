/* Measures how many bytes of stack each function uses, by filling the stack with a pattern and finding
 * the part that was overwritten. */

#include "board.h"
#include "statictramp.h"

static statictramp_fn made;
static int context;

__attribute__((noinline)) static void nothing(void) { __asm__ volatile(""); }
static int plain(int *to, int x) { return *to + x; }
static void raw_handler(void *to, statictramp_raw_call *call)
{
    int x = 0;
    statictramp_raw_next(call, STATICTRAMP_KIND_INT32, &x);
    x += *(int *)to;
    statictramp_raw_return(call, STATICTRAMP_KIND_INT32, &x);
}

/* All of these functions have a frame of the same size, which is measured with the first. */
__attribute__((noinline)) static void frame(void) { nothing(); __asm__ volatile(""); }
__attribute__((noinline)) static void alloc(void) { made = statictramp_alloc((statictramp_fn)plain, NULL); }
__attribute__((noinline)) static void bind(void) { made = statictramp_bind((statictramp_fn)plain, &context, 0); }
__attribute__((noinline)) static void raw(void) { made = statictramp_bind_raw(raw_handler, &context); }
__attribute__((noinline)) static void release(void) { statictramp_free(made); __asm__ volatile(""); }
__attribute__((noinline)) static void call(void) { ((int (*)(int *, int))made)(NULL, 1); __asm__ volatile(""); }

__attribute__((noinline)) static unsigned used(void (*function)(void))
{
    enum { WORDS = 256, PATTERN = 0x5ac3961e };
    volatile uint32_t *sp;
    __asm__ volatile("mov %0, sp" : "=r"(sp));
    for (int i = 1; i <= WORDS; i++)
        sp[-i] = PATTERN + i; /* if a function saves this register, its value comes from another index */
    function();
    int words = WORDS;
    while (words > 0 && sp[-words] == (uint32_t)(PATTERN + words))
        words--;
    return words * 4;
}

static void report(const char *what, unsigned bytes)
{
    char digits[] = " 0000";
    for (int i = 4; i > 0; i--, bytes /= 10)
        digits[i] = '0' + bytes % 10;
    say(what);
    say(digits);
    say("\n");
}

int main(void)
{
    unsigned own = used(frame);
    report("alloc", used(alloc) - own);
    report("call_alloc", used(call) - own);
    release();
    report("bind", used(bind) - own);
    report("call", used(call) - own);
    report("free", used(release) - own);
    report("bind_raw", used(raw) - own);
    report("call_raw", used(call) - own);
    return 0;
}
