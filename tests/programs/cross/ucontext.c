/* Fibers for musl, whose libc does not provide them: the part of <ucontext.h> that the tests use. The signal
   mask does not change, and functions take no arguments. */

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

/* Replaces the registers. */
struct saved {
    jmp_buf saved_state;
    void (*function)(void); /* if not started yet; otherwise null */
};
_Static_assert(sizeof(struct saved) <= sizeof(mcontext_t), "a context has room for it");

static struct saved *saved(const ucontext_t *context) { return (struct saved *)&context->uc_mcontext; }

__attribute__((noreturn)) static void go_to(const ucontext_t *context);

/* The bottom of a fiber's stack. */
__attribute__((noreturn, used)) static void begin(const ucontext_t *context)
{
    void (*function)(void) = saved(context)->function;
    const ucontext_t *next = context->uc_link;
    saved(context)->function = NULL;
    function();
    if (next == NULL)
        exit(0);
    go_to(next);
}

static void go_to(const ucontext_t *context)
{
    if (saved(context)->function == NULL)
        longjmp(saved(context)->saved_state, 1);
    uintptr_t top = ((uintptr_t)context->uc_stack.ss_sp + context->uc_stack.ss_size) & -(uintptr_t)16;
#if defined(__x86_64__)
    __asm__ volatile("mov %0, %%rsp\n\txor %%ebp, %%ebp\n\tcall *%1" : : "r"(top), "r"(begin), "D"(context) : "memory");
#elif defined(__aarch64__)
    register const ucontext_t *first __asm__("x0") = context;
    __asm__ volatile("mov sp, %0\n\tmov x29, xzr\n\tblr %1" : : "r"(top), "r"(begin), "r"(first) : "memory");
#endif
    __builtin_unreachable();
}

int getcontext(ucontext_t *context)
{
    saved(context)->function = NULL;
    return 0;
}

void makecontext(ucontext_t *context, void (*function)(void), int arguments, ...)
{
    if (arguments != 0)
        abort();
    saved(context)->function = function;
}

int swapcontext(ucontext_t *from, const ucontext_t *to)
{
    if (setjmp(saved(from)->saved_state) == 0)
        go_to(to);
    return 0;
}

int setcontext(const ucontext_t *context) { go_to(context); }
