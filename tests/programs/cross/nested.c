/* Tests nested functions of a GCC that supports only trampolines on the stack. The contents of a GCC trampoline,
   {function, static chain}, are read as data and never run. A trampoline of the library replaces it, so the stack
   need not be executable. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statictramp.h"

/* Makes a trampoline of the library that is equivalent to a GCC trampoline. */
#if defined(__i386__)
static statictramp_fn in_place_of(const char *written)
{
    /* [endbr32;] movl $chain, %ecx; jmp with an offset from its end */
    void *chain;
    uintptr_t distance;
    __asm__ volatile("" ::: "memory");
    if (*written != (char)0xb9)
        written += 4;
    memcpy(&chain, written + 1, sizeof chain);
    memcpy(&distance, written + 6, sizeof distance);
    return statictramp_alloc((statictramp_fn)((uintptr_t)written + 10 + distance), chain);
}
#else
/* The instructions are followed by a function and the static chain, in either order. Finds them as two adjacent words: one
   points into the program's code, and the other into the frame of the caller, which is the host. */
extern const char __executable_start[], etext[];

__attribute__((noinline)) static statictramp_fn in_place_of(const void *written)
{
    const char *code = (const char *)((uintptr_t)written & ~(uintptr_t)1);
    uintptr_t pair[2];
    __asm__ volatile("" ::: "memory"); /* the compiler does not know that the memory is read */
    for (int at = 0; at < 32; at += sizeof(void *)) {
        memcpy(pair, code + at, sizeof pair);
        for (int chain = 0; chain < 2; chain++)
            if (pair[!chain] - (uintptr_t)__executable_start < (uintptr_t)etext - (uintptr_t)__executable_start &&
                pair[chain] - (uintptr_t)pair < 4096)
                return statictramp_alloc((statictramp_fn)pair[!chain], (void *)pair[chain]);
    }
    return NULL;
}
#endif

static int compare_calls;

__attribute__((noinline)) static void sort(int *list, size_t count, int direction)
{
    int nested(const void *a, const void *b)
    {
        compare_calls++;
        return direction * (*(const int *)a - *(const int *)b);
    }
    /* volatile: otherwise the compiler calls the function itself. */
    int (*volatile written)(const void *, const void *) = nested;
    statictramp_fn t = in_place_of((const void *)written);
    if (t == NULL)
        abort();
    qsort(list, count, sizeof *list, (int (*)(const void *, const void *))t);
    if (statictramp_free(t) != 0)
        abort();
}

/* The arguments are a long, a floating-point number, and the depth. */
__attribute__((noinline)) static double down(int depth, double (*above)(long, double))
{
    double here(long n, double x) { return n > 0 && above ? above(n - 1, x + depth) : x + depth; }
    double (*volatile written)(long, double) = here;
    statictramp_fn t = in_place_of((const void *)written);
    if (t == NULL)
        abort();
    double result = depth == 0 ? ((double (*)(long, double))t)(100, 0.5) : down(depth - 1, (double (*)(long, double))t);
    statictramp_free(t);
    return result;
}

int main(void)
{
    int list[] = {4, 1, 3, 5, 2};
    sort(list, 5, 1);
    printf("%d%d%d%d%d ", list[0], list[1], list[2], list[3], list[4]);
    sort(list, 5, -1);
    printf("%d%d%d%d%d ", list[0], list[1], list[2], list[3], list[4]);
    printf("%.1f %d %zu\n", down(50, NULL), compare_calls > 8, statictramp_live());
    return 0;
}
