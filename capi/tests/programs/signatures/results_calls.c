/* Callers of functions with each result of results.h, which also take a pointer, a double and a value of the result's
   type; in a variadic function that value follows the named parameters. Compiled several times, once for each
   PREFIX. */

#define JOIN(a, b) a##_##b
#define JOINED(a, b) JOIN(a, b)
#define NAME(name) JOINED(PREFIX, name)

typedef void (*function)(void);
typedef int (*caller)(function f, void *first, const void *value, void *result);

/* Returns whether a caller that widens the result gets the right number. Two functions, because compilers merge two
   calls to one pointer that differ only in the function type. Promotion does not change `passed`. */
#define CALLER(name, type, passed, is_right)                                                                                       \
    static int NAME(name)(function f, void *first, const void *value, void *result)                                                \
    {                                                                                                                              \
        type given = *(const type *)value;                                                                                         \
        type r = ((type (*)(void *, double, type))f)(first, 2.5, given);                                                           \
        *(type *)result = r;                                                                                                       \
        return is_right;                                                                                                           \
    }                                                                                                                              \
    static int NAME(name##_variadic)(function f, void *first, const void *value, void *result)                                     \
    {                                                                                                                              \
        type given = *(const type *)value;                                                                                         \
        type r = ((type (*)(void *, double, ...))f)(first, 2.5, passed);                                                           \
        (void)given;                                                                                                               \
        *(type *)result = r;                                                                                                       \
        return is_right;                                                                                                           \
    }
#define SCALAR(name, type, kind) CALLER(name, type, 0, 1)
#define INTEGER(name, type, kind) CALLER(name, type, 0, (long long)r == *(const type *)value)
#define COMPLEX(name, part, kind) CALLER(name, part _Complex, given, 1)
#define STRUCT(name, members, leaves)                                                                                              \
    struct name {                                                                                                                  \
        members                                                                                                                    \
    };                                                                                                                             \
    CALLER(name, struct name, given, 1)
#include "results.h"
#undef SCALAR
#undef INTEGER
#undef COMPLEX
#undef STRUCT

/* A normal and a variadic function for each result, in the order of results.h. */
#define SCALAR(name, type, kind) {NAME(name), NAME(name##_variadic)},
#define INTEGER SCALAR
#define COMPLEX SCALAR
#define STRUCT SCALAR
const caller NAME(callers)[][2] = {
#include "results.h"
};
