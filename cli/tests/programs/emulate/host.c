/* Hosts through which exceptions pass: a nested function that is called directly, and by qsort. */
#include <stdlib.h>

__attribute__((noipa)) static int apply(int (*f)(int), int x) { return f(x); }

int host(int depth, int (*next)(int))
{
    int v[2] = {1, 0};
    int nested(int x) { return next(x + depth - depth); }
    int compare(const void *a, const void *b) { return apply(nested, depth + 1); }
    if (depth % 2)
        qsort(v, 2, sizeof *v, compare);
    return apply(nested, depth);
}
