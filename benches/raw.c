/* The costs of a raw trampoline, compared with a libffi closure. The program libffi.c is otherwise the same. `raw
   CASE COUNT` prints the nanoseconds that COUNT operations took. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "statictramp.h"

static long context = 3;

static void add(void *data, statictramp_raw_call *call)
{
    long x;
    statictramp_raw_next(call, STATICTRAMP_KIND_INT64, &x);
    x += *(long *)data;
    statictramp_raw_return(call, STATICTRAMP_KIND_INT64, &x);
}

struct pair {
    double a;
    long b;
};
static const statictramp_leaf leaves[] = {{0, STATICTRAMP_KIND_DOUBLE, NULL}, {8, STATICTRAMP_KIND_INT64, NULL}};
static const statictramp_struct pair_type = {sizeof(struct pair), 2, leaves};

static void mix(void *data, statictramp_raw_call *call)
{
    int i;
    double d;
    const long *p;
    struct pair s;
    statictramp_raw_next(call, STATICTRAMP_KIND_INT32, &i);
    statictramp_raw_next(call, STATICTRAMP_KIND_DOUBLE, &d);
    statictramp_raw_next(call, STATICTRAMP_KIND_POINTER, &p);
    statictramp_raw_next_struct(call, &pair_type, &s);
    d = i + d + (double)*p + s.a + (double)s.b + (double)*(long *)data;
    statictramp_raw_return(call, STATICTRAMP_KIND_DOUBLE, &d);
}

typedef long (*bound)(long);
typedef double (*mixed)(int, double, const long *, struct pair);

static statictramp_fn make(statictramp_raw_handler handler)
{
    statictramp_fn made = statictramp_bind_raw(handler, &context);
    if (!made)
        exit(1);
    return made;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int kind = strcmp(argv[1], "call") == 0 ? 0 : strcmp(argv[1], "call, four arguments") == 0 ? 1 : 2;
    long count = atol(argv[2]), sum = 0;
    statictramp_fn f = make(kind == 1 ? mix : add);
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (long i = 0; i < count; i++) {
        if (kind == 0) {
            sum += ((bound)f)(i);
        } else if (kind == 1) {
            sum += (long)((mixed)f)((int)i, 0.5, &context, (struct pair){1.5, i});
        } else {
            statictramp_fn g = make(add);
            sum += ((bound)g)(i);
            statictramp_free(g);
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    statictramp_free(f);
    printf("%.0f\n", (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec));
    return sum == 42;
}
