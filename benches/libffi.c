/* The costs of a libffi closure: `libffi CASE COUNT` prints the nanoseconds that COUNT operations took. */

#include <ffi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static ffi_cif cif;
static long context = 3;

static void add(ffi_cif *types, void *result, void **arguments, void *data)
{
    (void)types;
    *(ffi_sarg *)result = *(long *)arguments[0] + *(long *)data;
}

struct pair {
    double a;
    long b;
};
static ffi_type *members[] = {&ffi_type_double, &ffi_type_slong, NULL};
static ffi_type pair_type = {0, 0, FFI_TYPE_STRUCT, members};

static void mix(ffi_cif *types, void *result, void **arguments, void *data)
{
    (void)types;
    const struct pair *s = arguments[3];
    *(double *)result = *(int *)arguments[0] + *(double *)arguments[1] + (double)**(long **)arguments[2] + s->a + (double)s->b +
                        (double)*(long *)data;
}

typedef long (*bound)(long);
typedef double (*mixed)(int, double, const long *, struct pair);

static ffi_closure *make(void (*handler)(ffi_cif *, void *, void **, void *), void **code)
{
    ffi_closure *closure = ffi_closure_alloc(sizeof *closure, code);
    if (!closure || ffi_prep_closure_loc(closure, &cif, handler, &context, *code) != FFI_OK)
        exit(1);
    return closure;
}

int main(int argc, char **argv)
{
    ffi_type *one[] = {&ffi_type_slong}, *four[] = {&ffi_type_sint, &ffi_type_double, &ffi_type_pointer, &pair_type};
    if (argc != 3)
        return 2;
    int kind = strcmp(argv[1], "call") == 0 ? 0 : strcmp(argv[1], "call, four arguments") == 0 ? 1 : 2;
    if ((kind == 1 ? ffi_prep_cif(&cif, FFI_DEFAULT_ABI, 4, &ffi_type_double, four)
                   : ffi_prep_cif(&cif, FFI_DEFAULT_ABI, 1, &ffi_type_slong, one)) != FFI_OK)
        return 2;
    long count = atol(argv[2]), sum = 0;
    void *f, *g;
    ffi_closure *closure = make(kind == 1 ? mix : add, &f);
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (long i = 0; i < count; i++) {
        if (kind == 0) {
            sum += ((bound)f)(i);
        } else if (kind == 1) {
            sum += (long)((mixed)f)((int)i, 0.5, &context, (struct pair){1.5, i});
        } else {
            ffi_closure *other = make(add, &g);
            sum += ((bound)g)(i);
            ffi_closure_free(other);
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    ffi_closure_free(closure);
    printf("%.0f\n", (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec));
    return sum == 42;
}
