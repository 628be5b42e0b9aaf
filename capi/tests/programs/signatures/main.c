/* Random signatures (tests/tools/src/signatures/): callers compiled by gcc and clang call a raw trampoline, whose handler walks the arguments
   described in the table, and functions bound by statictramp_bind_first and statictramp_bind_types. With -DLIBFFI, libffi's
   closures are called, too: if they get the right values, the callers and the table are correct. */

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statictramp.h"
#include "types.h"

#ifdef LIBFFI
#include <ffi.h>
#include <setjmp.h>
#include <signal.h>
/* Debian sid's libffi imports sscanf under a name that only C libraries newer than Debian 12's define. */
__attribute__((weak)) int __isoc23_sscanf(const char *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int count = vsscanf(text, format, list);
    va_end(list);
    return count;
}
#define FFI(x) x
#define ffi_VOID &ffi_type_void
#define ffi_INT8 &ffi_type_sint8
#define ffi_UINT8 &ffi_type_uint8
#define ffi_INT16 &ffi_type_sint16
#define ffi_UINT16 &ffi_type_uint16
#define ffi_INT32 &ffi_type_sint32
#define ffi_UINT32 &ffi_type_uint32
#define ffi_INT64 &ffi_type_sint64
#define ffi_UINT64 &ffi_type_uint64
#define ffi_POINTER &ffi_type_pointer
#define ffi_FLOAT &ffi_type_float
#define ffi_DOUBLE &ffi_type_double
#define ffi_LONG_DOUBLE &ffi_type_longdouble
#define ffi_INT128 NULL
#define FFI_STRUCT(n) &ffi_struct##n
#else
typedef void ffi_type;
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
#define FFI_STRUCT(n) NULL
#endif

#define ffi_COMPLEX_FLOAT NULL
#define ffi_COMPLEX_DOUBLE NULL
#define ffi_COMPLEX_LONG_DOUBLE NULL
#define ffi_VECTOR64 NULL
#define ffi_VECTOR128 NULL

typedef void (*function)(void);

struct described {
    unsigned kind; /* 0: a struct, or no result */
    const statictramp_struct *type;
    ffi_type *ffi;
    size_t size;
};

enum { PREFIXES = 4 };
struct row {
    unsigned count;
    size_t named;
    const struct described *types; /* the result, then the arguments */
    const void *const *values;
    int (*callers[PREFIXES])(function);
    function callees[PREFIXES];
    int (*readers[PREFIXES])(va_list); /* of the variadic arguments */
    unsigned used;
    int in_memory, even_pair;
};
#define CALLS(n) int gcc_O0_call##n(function), gcc_O2_call##n(function), clang_O0_call##n(function), clang_O2_call##n(function);
#define FIRSTS(n) void gcc_O0_first##n(void), gcc_O2_first##n(void), clang_O0_first##n(void), clang_O2_first##n(void);
#define CALLERS(n) {gcc_O0_call##n, gcc_O2_call##n, clang_O0_call##n, clang_O2_call##n}
#define CALLEES(n) {gcc_O0_first##n, gcc_O2_first##n, clang_O0_first##n, clang_O2_first##n}
#define READS(n) int gcc_O0_read##n(va_list), gcc_O2_read##n(va_list), clang_O0_read##n(va_list), clang_O2_read##n(va_list);
#define READERS(n) {gcc_O0_read##n, gcc_O2_read##n, clang_O0_read##n, clang_O2_read##n}
#define NONE {NULL}
#define UNKNOWN ~0u
#include "table.c"

volatile int first_right;
static int right;
static int (*reader)(va_list); /* reads the variadic arguments in place of the handler, unless it is NULL */

static int equal_long_doubles(const char *got, const char *wanted)
{
    long double a, b;
    memcpy(&a, got, sizeof a);
    memcpy(&b, wanted, sizeof b);
    return a == b;
}

/* Returns whether two values are equal, except for padding between the leaves. */
static int equal_leaf(const statictramp_leaf *leaf, const char *got, const char *wanted)
{
    static const size_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 16, sizeof(void *), 4, 8, 0, 0, 8, 16, 0, 8, 16};
    const size_t part = sizeof(long double);
    int same = 1;
    got += leaf->offset;
    wanted += leaf->offset;
    switch (leaf->kind) {
    case STATICTRAMP_KIND_LONG_DOUBLE: return equal_long_doubles(got, wanted);
    case STATICTRAMP_KIND_COMPLEX_LONG_DOUBLE: return equal_long_doubles(got, wanted) && equal_long_doubles(got + part, wanted + part);
    case STATICTRAMP_KIND_STRUCT:
        for (size_t i = 0; i < leaf->of->count; i++)
            same &= equal_leaf(&leaf->of->leaves[i], got, wanted);
        return same;
    default: return memcmp(got, wanted, sizes[leaf->kind]) == 0;
    }
}

static int equal(const struct described *type, const char *got, const char *wanted)
{
    statictramp_leaf one = {0, type->kind ? type->kind : STATICTRAMP_KIND_STRUCT, type->type};
    return equal_leaf(&one, got, wanted);
}

/* Returns whether libffi's types can describe the type. */
static int has_ffi(const statictramp_struct *type)
{
    int all = 1;
    for (size_t i = 0; i < type->count; i++) {
        const statictramp_leaf *leaf = &type->leaves[i];
        all &= leaf->kind == STATICTRAMP_KIND_STRUCT ? has_ffi(leaf->of) : leaf->kind != STATICTRAMP_KIND_INT128 && leaf->kind <= STATICTRAMP_KIND_LONG_DOUBLE;
    }
    return all;
}

/* Returns the expected description of the result, or NULL if there is none. On s390x, a 16-byte scalar is returned as a struct of
   just that scalar, and an empty struct like any other struct; on Windows a long double is returned as a struct. */
static const statictramp_struct *expected(const struct described *type, int is_variadic)
{
    (void)is_variadic;
    /* A complex number that is returned in memory is described as a struct of two numbers. */
#ifdef __arm__
    const size_t most = is_variadic ? 4 : COMPLEX_IN_REGISTERS;
#else
    const size_t most = COMPLEX_IN_REGISTERS;
#endif
    static statictramp_leaf parts[2];
    static statictramp_struct of_parts = {0, 2, parts};
    if (type->kind >= STATICTRAMP_KIND_COMPLEX_FLOAT && type->kind <= STATICTRAMP_KIND_COMPLEX_LONG_DOUBLE) {
        parts[0].kind = parts[1].kind = type->kind - STATICTRAMP_KIND_COMPLEX_FLOAT + STATICTRAMP_KIND_FLOAT;
        parts[1].offset = type->size / 2;
        of_parts.size = type->size;
        return type->size > most ? &of_parts : NULL;
    }
#ifdef __s390x__
    static const statictramp_leaf wide = {0, STATICTRAMP_KIND_INT128, NULL};
    static const statictramp_struct of_wide = {16, 1, &wide};
    return type->kind && type->size > 8 ? &of_wide : type->type;
#elif defined _WIN32
    static const statictramp_leaf wide = {0, STATICTRAMP_KIND_LONG_DOUBLE, NULL};
    static const statictramp_struct of_wide = {sizeof(long double), 1, &wide};
    return type->kind == STATICTRAMP_KIND_LONG_DOUBLE ? &of_wide : type->kind || !type->size ? NULL : type->type;
#else
    return type->kind || !type->size ? NULL : type->type;
#endif
}

/* Returns whether the compiler's va_arg reads these arguments correctly. On 32-bit PowerPC, clang's does not read the second of
   two long doubles, nor all structs that are aligned to 8 bytes, not even in a variadic function that clang has compiled. */
static int can_read(const struct row *row, int compiler)
{
#if defined __powerpc__ && !defined __powerpc64__
    if (compiler >= PREFIXES / 2)
        return 0;
#endif
    return row->readers[compiler] != NULL;
}

static void handler(void *context, statictramp_raw_call *call)
{
    const struct row *row = context;
    const struct described *type = row->types;
    right = statictramp_raw_expect(call, expected(type, row->named != STATICTRAMP_NOT_VARIADIC), row->named) == 0;
    for (unsigned i = 1; i <= (reader ? row->named : row->count); i++) {
        _Alignas(16) char value[4096];
        type = &row->types[i];
        right &= (type->kind ? statictramp_raw_next(call, type->kind, value) : statictramp_raw_next_struct(call, type->type, value)) == 0;
        right &= equal(type, value, row->values[i]);
    }
    if (reader) {
        va_list list;
        right &= statictramp_raw_va_list(call, NULL) == -1 && statictramp_raw_va_list(call, &list) == 0 && reader(list);
    } else if (row->named == STATICTRAMP_NOT_VARIADIC) {
        va_list list;
        right &= statictramp_raw_va_list(call, &list) == -1;
    }
    type = row->types;
    if (type->kind)
        right &= statictramp_raw_return(call, type->kind, row->values[0]) == 0;
    else if (type->size)
        right &= statictramp_raw_return_struct(call, type->type, row->values[0]) == 0;
}

#ifdef LIBFFI
static void ffi_handler(ffi_cif *cif, void *result, void **arguments, void *data)
{
    const struct row *row = data;
    (void)cif;
    right = 1;
    for (unsigned i = 1; i <= row->count; i++)
        right &= equal(&row->types[i], arguments[i - 1], row->values[i]);
    const struct described *type = row->types;
    int64_t wide = 0;
    if (type->kind && type->kind <= STATICTRAMP_KIND_UINT32) { /* returned as ffi_arg or ffi_sarg */
        memcpy(&wide, row->values[0], type->size);
        if (type->kind % 2) /* signed */
            wide = (int64_t)((uint64_t)wide << (64 - 8 * type->size)) >> (64 - 8 * type->size);
        memcpy(result, &wide, sizeof(ffi_arg));
    } else if (type->size) {
        memcpy(result, row->values[0], type->size);
    }
}

/* If libffi passes a wrong address, the program must not crash. */
static sigjmp_buf fault;
static void on_fault(int signal)
{
    siglongjmp(fault, signal);
}

/* 1: right; 0: wrong; -1: libffi does not support the type. */
static int by_libffi(const struct row *row, int (*caller)(function))
{
    ffi_type *types[80];
    ffi_cif cif;
    void *code;
    for (unsigned i = 0; i <= row->count; i++) {
        types[i] = row->types[i].ffi;
        if (types[i] == NULL)
            return -1;
        if (row->types[i].type && !has_ffi(row->types[i].type))
            return -1;
    }
    ffi_status made = row->named == STATICTRAMP_NOT_VARIADIC
                          ? ffi_prep_cif(&cif, FFI_DEFAULT_ABI, row->count, types[0], types + 1)
                          : ffi_prep_cif_var(&cif, FFI_DEFAULT_ABI, row->named, row->count, types[0], types + 1);
    if (made != FFI_OK)
        return -1;
    ffi_closure *closure = ffi_closure_alloc(sizeof *closure, &code);
    if (!closure || ffi_prep_closure_loc(closure, &cif, ffi_handler, (void *)row, code) != FFI_OK)
        exit(2);
    struct sigaction before, action = {.sa_handler = on_fault};
    sigaction(SIGSEGV, &action, &before);
    volatile int good = 0;
    if (sigsetjmp(fault, 1) == 0)
        good = caller((function)code) && right;
    else
        right = 0;
    sigaction(SIGSEGV, &before, NULL);
    ffi_closure_free(closure);
    return good;
}
#endif

/* Calls the function of each compiler through a trampoline made from its types; returns the number of wrong calls. */
static size_t by_types(const struct row *row, size_t n, const char *const *names)
{
    statictramp_type types[80];
    size_t errors = 0;
    for (unsigned i = 0; i <= row->count; i++) {
        types[i].kind = row->types[i].kind ? row->types[i].kind : STATICTRAMP_KIND_STRUCT;
        types[i].of = row->types[i].type;
    }
    const statictramp_type *result = row->types[0].kind || row->types[0].type ? types : NULL;
    if (statictramp_raw_check(result, types + 1, row->count, row->named) != 0) {
        printf("signature %zu: refused by statictramp_raw_check\n", n);
        errors++;
    }
    for (int i = 0; i < PREFIXES * PREFIXES && row->callees[0]; i++) {
        function bound = statictramp_bind_types(row->callees[i / PREFIXES], (void *)&first_right, result, types + 1, row->count);
        void *context = NULL;
        if (!bound || statictramp_lookup(bound, NULL, &context) != 1 || context != (void *)&first_right) {
            printf("signature %zu: refused by statictramp_bind_types\n", n);
            return errors + 1;
        }
        first_right = 0;
        int is_right = row->callers[i % PREFIXES](bound);
        if (!first_right || !is_right) {
            printf("signature %zu, %s calls %s: wrong %s by statictramp_bind_types\n", n, names[i % PREFIXES], names[i / PREFIXES],
                   first_right ? "result" : "argument");
            errors++;
        }
        statictramp_free(bound);
    }
    return errors;
}

int main(void)
{
    static const char *const names[PREFIXES] = {"gcc -O0", "gcc -O2", "clang -O0", "clang -O2"};
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    size_t count = sizeof rows / sizeof *rows, errors = 0, inserted = 0, rejected = 0, lists = 0, known = 0, libffi_errors = 0;
    for (size_t n = 0; n < count; n++) {
        const struct row *row = &rows[n];
        function raw = statictramp_bind_raw(handler, (void *)row);
        if (!raw)
            return 2;
        for (int i = 0; i < PREFIXES; i++) {
            right = 0;
            int result = row->callers[i](raw);
            if (!right || !result) {
                printf("signature %zu, %s: wrong %s by the raw trampoline\n", n, names[i], right ? "result" : "argument");
                errors++;
            }
            for (int j = 0; j < PREFIXES; j++) {
                if (!can_read(row, j))
                    continue;
                reader = row->readers[j];
                right = 0;
                if (!row->callers[i](raw) || !right) {
                    printf("signature %zu, %s: %s reads a wrong argument from the va_list\n", n, names[i], names[j]);
                    errors++;
                }
                reader = NULL;
                lists++;
            }
#ifdef LIBFFI
            int libffi = by_libffi(row, row->callers[i]);
            known += libffi >= 0;
            libffi_errors += libffi == 0;
            if (libffi == 0)
                printf("signature %zu, %s: libffi passes a wrong %s\n", n, names[i], right ? "result" : "argument");
#endif
        }
        if (statictramp_free(raw) != 0)
            return 2;
        errors += by_types(row, n, names);
        if (!row->callees[0] || row->used == UNKNOWN)
            continue;
        for (int i = 0; i < PREFIXES * PREFIXES; i++) {
            unsigned used = row->used | (row->in_memory ? STATICTRAMP_RESULT_IN_MEMORY : 0) |
                            (row->even_pair ? STATICTRAMP_EVEN_PAIR : 0);
            errno = 0;
            function first = statictramp_bind_first(row->callees[i / PREFIXES], (void *)&first_right, used);
            int fits = row->used + (HIDDEN && row->in_memory) < REGISTERS && !row->even_pair;
            if (!fits) {
                if (first || errno != EINVAL) {
                    printf("signature %zu: not refused\n", n);
                    errors++;
                }
                rejected++;
                break;
            }
            void *context = NULL;
            if (!first || statictramp_lookup(first, NULL, &context) != 1 || context != (void *)&first_right)
                return 2;
            inserted++;
            first_right = 0;
            int result = row->callers[i % PREFIXES](first);
            if (!first_right || !result) {
                printf("signature %zu, %s calls %s: wrong %s by statictramp_bind_first, used %u\n", n, names[i % PREFIXES],
                       names[i / PREFIXES], first_right ? "result" : "argument", used);
                errors++;
            }
            statictramp_free(first);
        }
    }
    printf("%zu signatures: %zu wrong; %zu calls read from a va_list; a context inserted in %zu calls, refused for %zu signatures", count,
           errors, lists, inserted, rejected);
#ifdef LIBFFI
    printf("; libffi: %zu calls, %zu wrong", known, libffi_errors);
#endif
    putchar('\n');
    return errors != 0 || statictramp_live() != 0;
}
