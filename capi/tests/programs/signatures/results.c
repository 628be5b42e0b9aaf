/* Each result of results.h, set by a raw trampoline as statictramp_bind_raw(3) says, for callers compiled by gcc and
   clang (results_calls.c).

   usage: results [-v] */

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "statictramp.h"

#define STATICTRAMP_KIND_PLAIN_CHAR (CHAR_MIN < 0 ? STATICTRAMP_KIND_INT8 : STATICTRAMP_KIND_UINT8)

/* Whether the library supports complex numbers, and the size of the largest one that a variadic function returns in
   registers. COMPLEX_IN_REGISTERS, that of other functions, and the macros below are in tests/legs/parts/machines.sh:
   VARIADIC_COMPLEX_DIFFERS   gcc and clang pass variadic complex numbers differently
   VARIADIC_FLOATS_DIFFER     gcc and clang pass variadic structs with a `float` differently
   ARRAYS_ARE_INTEGERS        an array of floating-point numbers in a struct is passed like integers */
enum { HAS_COMPLEX =
#if defined __powerpc__ && !defined __powerpc64__
           0,
#else
           1,
#endif
       COMPLEX_IN_REGISTERS_OF_VARIADIC =
#ifdef __arm__
           4
#else
           COMPLEX_IN_REGISTERS
#endif
};

/* Structs of one number. They describe numbers in arrays and in members of members. */
#define ONE(kind)                                                                    \
    static const statictramp_leaf leaf_##kind = {0, STATICTRAMP_KIND_##kind, NULL}; \
    static const statictramp_struct one_##kind = {SIZE_##kind, 1, &leaf_##kind};
#define SIZE_FLOAT sizeof(float)
#define SIZE_DOUBLE sizeof(double)
#define SIZE_LONG_DOUBLE sizeof(long double)
ONE(FLOAT)
#ifndef ARRAYS_ARE_INTEGERS
ONE(DOUBLE)
ONE(LONG_DOUBLE)
#endif

/* Types and leaves. */
#define L(member, kind) {offsetof(S, member), STATICTRAMP_KIND_##kind, NULL},
#define C(i) L(a[i], UINT8)
#define C4(i) C(i) C(i + 1) C(i + 2) C(i + 3)
/* A member of a member. */
#define N(member, kind) {offsetof(S, member), STATICTRAMP_KIND_STRUCT, &one_##kind},
/* An element of an array. */
#ifdef ARRAYS_ARE_INTEGERS
#define AS_FLOAT INT32
#define AS_DOUBLE INT64
#define AS_LONG_DOUBLE INT128
#define A(i, kind) A_KIND(i, AS_##kind)
#define A_KIND(i, kind) L(a[i], kind)
#else
#define A(i, kind) N(a[i], kind)
#endif
#if defined __powerpc__ && !defined __powerpc64__
#define PARTS(member, part, kind) L(member, kind) {offsetof(S, member) + sizeof(part), STATICTRAMP_KIND_##kind, NULL},
#else
#define PARTS(member, part, kind) L(member, COMPLEX_##kind)
#endif
#define SCALAR(name, c, kind)
#define INTEGER(name, c, kind)
#define COMPLEX(name, c, kind)                                                                                                     \
    static const statictramp_struct *type_##name(void)                                                                             \
    {                                                                                                                              \
        static const statictramp_leaf leaves[] = {{0, STATICTRAMP_KIND_##kind, NULL}, {sizeof(c), STATICTRAMP_KIND_##kind, NULL}}; \
        static const statictramp_struct type = {2 * sizeof(c), 2, leaves};                                                         \
        return &type;                                                                                                              \
    }
#define STRUCT(name, members, list)                                                                                                \
    static const statictramp_struct *type_##name(void)                                                                             \
    {                                                                                                                              \
        typedef struct {                                                                                                           \
            members                                                                                                                \
        } S;                                                                                                                       \
        static const statictramp_leaf leaves[] = {list{0, 0, NULL}};                                                                     \
        static const statictramp_struct type = {sizeof(S), sizeof leaves / sizeof *leaves - 1, leaves};                            \
        return &type;                                                                                                              \
    }
#include "results.h"
#undef SCALAR
#undef INTEGER
#undef COMPLEX
#undef STRUCT

static const struct row {
    const char *name;
    size_t size;
    unsigned kind; /* of a scalar or a complex number */
    const statictramp_struct *(*type)(void);
    int is_complex;
} rows[] = {
#define SCALAR(name, c, kind) {#name, sizeof(c), STATICTRAMP_KIND_##kind, NULL, 0},
#define INTEGER SCALAR
#define COMPLEX(name, c, kind) {#name, 2 * sizeof(c), STATICTRAMP_KIND_COMPLEX_##kind, type_##name, 1},
#define STRUCT(name, members, list) {#name, 0, 0, type_##name, 0},
#include "results.h"
};
enum { ROWS = sizeof rows / sizeof *rows, MOST = 256 };

typedef int (*caller)(statictramp_fn f, void *first, const void *value, void *result);
extern const caller gcc_O0_callers[ROWS][2], gcc_O2_callers[ROWS][2], clang_O0_callers[ROWS][2], clang_O2_callers[ROWS][2];

static size_t size_of_kind(unsigned kind)
{
    static const unsigned char sizes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 16, sizeof(void *), 4, 8, sizeof(long double)};
    return sizes[kind];
}

/* Calls `visit` with each scalar of a leaf. */
static int each_of(const statictramp_leaf *leaf, int (*visit)(char *, const char *, unsigned, unsigned), char *a, const char *b, unsigned number)
{
    unsigned kind = leaf->kind == STATICTRAMP_KIND_STRUCT ? leaf->of->leaves[0].kind : leaf->kind;
    a += leaf->offset;
    b = b ? b + leaf->offset : NULL;
    if (kind < STATICTRAMP_KIND_COMPLEX_FLOAT)
        return visit(a, b, kind, number);
    kind = kind - STATICTRAMP_KIND_COMPLEX_FLOAT + STATICTRAMP_KIND_FLOAT;
    size_t size = size_of_kind(kind);
    return visit(a, b, kind, number) & visit(a + size, b ? b + size : NULL, kind, number + 1);
}

/* Calls `visit` with each scalar of a value. */
static int each(const struct row *row, int (*visit)(char *, const char *, unsigned, unsigned), char *a, const char *b)
{
    if (row->type == NULL)
        return visit(a, b, row->kind, 1);
    const statictramp_struct *type = row->type();
    int all = 1;
    for (size_t i = 0; i < type->count; i++)
        all &= each_of(&type->leaves[i], visit, a, b, (unsigned)i + 1);
    return all;
}

/* The highest bit of each integer is set, except a bool's, whose caller uses its bits. */
static int set(char *to, const char *from, unsigned kind, unsigned number)
{
    (void)from;
    float f = -1.5f * (float)number;
    double d = f;
    long double l = f;
    switch (kind) {
    case STATICTRAMP_KIND_FLOAT: memcpy(to, &f, sizeof f); break;
    case STATICTRAMP_KIND_DOUBLE: memcpy(to, &d, sizeof d); break;
    case STATICTRAMP_KIND_LONG_DOUBLE: memcpy(to, &l, sizeof l); break;
    default:
        for (size_t i = 0; i < size_of_kind(kind); i++)
            to[i] = (char)(0x80 + 16 * (number % 8) + i);
    }
    return 1;
}

static int is_equal(char *a, const char *b, unsigned kind, unsigned number)
{
    (void)number;
    if (kind != STATICTRAMP_KIND_LONG_DOUBLE)
        return memcmp(a, b, size_of_kind(kind)) == 0;
    long double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x == y;
}

static _Alignas(16) char value[MOST], argument[MOST], result[MOST], first[MOST];
static int is_variadic, was_right; /* the arguments, and the library's answer */

/* The expected result type: a struct, or a complex number that is returned in memory as a struct of two; on s390x, for a
   16-byte scalar, a struct of just that scalar, likewise on Windows for a long double. */
static const statictramp_struct *expected(const struct row *row)
{
    static statictramp_leaf only;
    static const statictramp_struct of_one = {16, 1, &only};
    only.kind = row->kind;
    if (row->type != NULL)
        return row->is_complex && row->size <= (is_variadic ? COMPLEX_IN_REGISTERS_OF_VARIADIC : COMPLEX_IN_REGISTERS) ? NULL : row->type();
#ifdef __s390x__
    if (row->size == 16)
        return &of_one;
#elif defined _WIN32
    if (row->kind == STATICTRAMP_KIND_LONG_DOUBLE)
        return &of_one;
#endif
    return (void)of_one, NULL;
}

/* Takes the argument of the result's type. */
static int takes_value(const struct row *row, statictramp_raw_call *call)
{
    const statictramp_struct *type = row->type ? row->type() : NULL;
    memset(argument, 0, sizeof argument);
    int right = (type && !row->is_complex ? statictramp_raw_next_struct(call, type, argument) : statictramp_raw_next(call, row->kind, argument)) == 0;
    return right && each(row, is_equal, argument, value);
}

static void handler(void *context, statictramp_raw_call *call)
{
    const struct row *row = context;
    const statictramp_struct *type = row->type ? row->type() : NULL;
    void *pointer = NULL;
    double number = 0;
    was_right = statictramp_raw_expect(call, expected(row), is_variadic ? 2 : STATICTRAMP_NOT_VARIADIC) == 0;
    was_right &= statictramp_raw_next(call, STATICTRAMP_KIND_POINTER, &pointer) == 0 && pointer == first;
    was_right &= statictramp_raw_next(call, STATICTRAMP_KIND_DOUBLE, &number) == 0 && number == 2.5;
#ifdef VARIADIC_COMPLEX_DIFFERS
    const int differs = is_variadic && row->is_complex;
#else
    const int differs = 0;
#endif
    if ((type || !is_variadic) && !differs)
        was_right &= takes_value(row, call);
    was_right &= (type && !row->is_complex ? statictramp_raw_return_struct(call, type, value) : statictramp_raw_return(call, row->kind, value)) == 0;
}

#ifdef VARIADIC_FLOATS_DIFFER
static int is_no_float(char *a, const char *b, unsigned kind, unsigned number)
{
    (void)a, (void)b, (void)number;
    return kind != STATICTRAMP_KIND_FLOAT;
}
#endif

int main(int count, char **arguments)
{
#ifdef _WIN32
    const int is_windows = 1;
#else
    const int is_windows = 0;
#endif
    static const struct {
        const char *name;
        const caller (*callers)[2];
    } compilers[] = {
        {"gcc -O0", gcc_O0_callers}, {"gcc -O2", gcc_O2_callers}, {"clang -O0", clang_O0_callers}, {"clang -O2", clang_O2_callers}};
    int errors = 0, excluded = 0;
    (void)arguments;
    for (size_t n = 0; n < ROWS; n++) {
        const struct row *row = &rows[n];
        statictramp_type checked = {row->type && !row->is_complex ? STATICTRAMP_KIND_STRUCT : row->kind, row->type ? row->type() : NULL};
        int exists = statictramp_raw_check(&checked, &checked, 1, STATICTRAMP_NOT_VARIADIC) == 0;
        int is_excluded = row->is_complex && !HAS_COMPLEX;
        int is_rejected = is_windows && strcmp(row->name, "of_0") == 0;
        if (exists == (is_excluded || is_rejected)) {
            printf("result %s: statictramp_raw_check is wrong\n", row->name);
            errors++;
        }
        if (is_excluded) {
            excluded++;
            continue;
        }
        statictramp_fn raw = statictramp_bind_raw(handler, (void *)row);
        if (raw == NULL)
            return 2;
        for (int i = 0; i < 8; i++) {
            is_variadic = i / 4;
#ifdef VARIADIC_FLOATS_DIFFER
            if (is_variadic && i % 4 >= 2 && row->type && !each(row, is_no_float, value, NULL)) /* clang's */
                continue;
#endif
            memset(value, 0, sizeof value);
            if (strcmp(row->name, "boolean") == 0)
                value[0] = 1;
            else
                each(row, set, value, NULL);
            memset(first, 0x55, sizeof first);
            memset(result, 0, sizeof result);
            was_right = 0;
            int is_right = compilers[i % 4].callers[n][is_variadic](raw, first, value, result) && each(row, is_equal, result, value);
            int is_whole = 1;
            for (size_t k = 0; k < sizeof first; k++)
                is_whole &= first[k] == 0x55;
            if (is_rejected ? was_right : !is_right || !was_right || !is_whole) {
                printf("result %s%s, %s: %s\n", row->name, is_variadic ? ", variadic" : "", compilers[i % 4].name,
                       is_rejected ? "is not rejected"
                       : !is_whole  ? "overwrites what the first argument points to"
                       : !was_right ? "wrong arguments, or rejected"
                                    : "wrong");
                errors++;
            } else if (count > 1) {
                printf("result %s%s, %s: %s\n", row->name, is_variadic ? ", variadic" : "", compilers[i % 4].name, is_rejected ? "not supported" : "right");
            }
        }
        excluded += is_rejected;
        statictramp_free(raw);
    }
    printf("%d kinds of results, %d of them not supported: %d wrong\n", (int)ROWS, excluded, errors);
    return errors != 0 || statictramp_live() != 0;
}
