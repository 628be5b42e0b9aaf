/* Random signatures (tests/tools/src/signatures/): callers compiled by clang call a raw trampoline, whose
   handler walks the arguments described in the table. */

#include <stddef.h>
#include <stdint.h>

#include "statictramp.h"
#include "types.h"

typedef void (*function)(void);
struct described {
    unsigned kind; /* 0: a struct, or no result */
    const statictramp_struct *type;
    const void *libffi;
    size_t size;
};
#define ffi_VOID NULL
#define ffi_INT8 NULL
#define ffi_UINT8 NULL
#define ffi_INT16 NULL
#define ffi_UINT16 NULL
#define ffi_INT32 NULL
#define ffi_UINT32 NULL
#define ffi_INT64 NULL
#define ffi_UINT64 NULL
#define ffi_POINTER NULL
#define ffi_FLOAT NULL
#define ffi_DOUBLE NULL
#define ffi_LONG_DOUBLE NULL
#define ffi_INT128 NULL
#define ffi_COMPLEX_FLOAT NULL
#define ffi_COMPLEX_DOUBLE NULL
#define ffi_COMPLEX_LONG_DOUBLE NULL
#define ffi_VECTOR64 NULL
#define ffi_VECTOR128 NULL
#define FFI_STRUCT(n) NULL

enum { PREFIXES = 2 };
struct row {
    unsigned count;
    size_t named;
    const struct described *types; /* the result, then the arguments */
    const void *const *values;
    int (*callers[PREFIXES])(function);
    int first, reader;
    unsigned used;
    int in_memory, even_pair;
};
#define CALLS(n) int clang_O0_call##n(function), clang_O2_call##n(function);
#define FIRSTS(n)
#define CALLERS(n) {clang_O0_call##n, clang_O2_call##n}
#define CALLEES(n) 0
#define READS(n)
#define READERS(n) 0
#define NONE 0
#define UNKNOWN ~0u
#include "table.c"

volatile int first_right;
static int right;

/* Returns whether two values are equal, except for padding between the leaves. */
static int equal_leaf(const statictramp_leaf *leaf, const char *got, const char *wanted)
{
    static const size_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 16, sizeof(void *), 4, 8, sizeof(long double),
                                   0, 8, 16, 2 * sizeof(long double), 8, 16};
    int same = 1;
    got += leaf->offset;
    wanted += leaf->offset;
    if (leaf->kind == STATICTRAMP_KIND_STRUCT)
        for (size_t i = 0; i < leaf->of->count; i++)
            same &= equal_leaf(&leaf->of->leaves[i], got, wanted);
    for (size_t k = 0; k < sizes[leaf->kind]; k++)
        same &= got[k] == wanted[k];
    return same;
}

static int equal(const struct described *type, const char *got, const char *wanted)
{
    statictramp_leaf one = {0, type->kind ? type->kind : STATICTRAMP_KIND_STRUCT, type->type};
    return equal_leaf(&one, got, wanted);
}

static void handler(void *context, statictramp_raw_call *call)
{
    const struct row *row = context;
    const struct described *type = row->types;
    right = statictramp_raw_expect(call, type->kind || !type->size ? NULL : type->type, row->named) == 0;
    for (unsigned i = 1; i <= row->count; i++) {
        _Alignas(16) char value[4096];
        type = &row->types[i];
        right &= (type->kind ? statictramp_raw_next(call, type->kind, value) : statictramp_raw_next_struct(call, type->type, value)) == 0;
        right &= equal(type, value, row->values[i]);
    }
    type = row->types;
    if (type->kind)
        right &= statictramp_raw_return(call, type->kind, row->values[0]) == 0;
    else if (type->size)
        right &= statictramp_raw_return_struct(call, type->type, row->values[0]) == 0;
}

/* 0, or ten times the number of the first wrong value, plus 1 for an argument, 3 for a result; 5 more for the -O0
   caller. */
int signatures(void)
{
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        function raw = statictramp_bind_raw(handler, (void *)&rows[n]);
        if (!raw)
            return -1;
        for (int i = 0; i < PREFIXES; i++) {
            right = 0;
            int result = rows[n].callers[i](raw);
            if (!right || !result)
                return 10 * (int)n + (right ? 3 : 1) + (i ? 0 : 5);
        }
        if (statictramp_free(raw) != 0)
            return -2;
    }
    return 0;
}
