/* What a closure of libffi costs: `libffi CASE COUNT` prints the nanoseconds that COUNT of them took. */

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

typedef long (*bound)(long);

static ffi_closure *make(bound *code)
{
    void *address;
    ffi_closure *closure = ffi_closure_alloc(sizeof *closure, &address);
    if (!closure || ffi_prep_closure_loc(closure, &cif, add, &context, address) != FFI_OK)
        exit(1);
    *code = (bound)address;
    return closure;
}

int main(int argc, char **argv)
{
    ffi_type *types[] = {&ffi_type_slong};
    if (argc != 3 || ffi_prep_cif(&cif, FFI_DEFAULT_ABI, 1, &ffi_type_slong, types) != FFI_OK)
        return 2;
    int calls = strcmp(argv[1], "call") == 0;
    long count = atol(argv[2]), sum = 0;
    bound f;
    ffi_closure *closure = make(&f);
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (long i = 0; i < count; i++) {
        if (calls) {
            sum += f(i);
        } else {
            bound g;
            ffi_closure *other = make(&g);
            sum += g(i);
            ffi_closure_free(other);
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    ffi_closure_free(closure);
    printf("%.0f\n", (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec));
    return sum == 42;
}
