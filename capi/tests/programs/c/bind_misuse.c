/* Wrong uses of STATICTRAMP_BIND, numbered by USE. None of them may compile, even with -w. A part of the expected error message
   follows each number. Use 0 is correct. */
#include <statictramp.h>
#include <stdarg.h>

struct s { int n; };
struct t { long n; };
union u { int n; void *p; };
static double f(int *c, double a, int b, double d) { return *c + a + b + d; }
static int ints(struct s *s, int a, int b) { return s->n + a + b; }
static long longs(struct s *s, long a) { return s->n + a; }
static void text(struct s *s, const char *t) { s->n = *t; }
static void nothing(struct s *s) { s->n = 1; }
static void list(struct s *s, const char *t, va_list l) { s->n = *t + va_arg(l, int); }
static void byte(struct s *s, signed char c, unsigned u) { s->n = c + (int)u; }
static void any(void *c, int a) { (void)c; (void)a; }
static void large(struct s *s, struct t t) { s->n = (int)t.n; }
static struct t result(struct s *s) { return (struct t){s->n}; }
static void var(struct s *s, const char *t, ...) { s->n = *t; }
static void any_var(void *c, const char *t, ...) { (void)c; (void)t; }
static void old();
#ifdef __x86_64__
__attribute__((ms_abi)) static void other(void *c, int a) { (void)c; (void)a; }
#else /* one calling convention */
static void other(void *c, unsigned a) { (void)c; (void)a; }
#endif
static int global(int a) { return a; }
typedef long aligned_long __attribute__((aligned(16)));

statictramp_fn make(const struct s *constant, void *unknown, const void *constant_unknown);
statictramp_fn make(const struct s *constant, void *unknown, const void *constant_unknown)
{
    static struct s s;
    static int k;
    (void)constant, (void)unknown, (void)constant_unknown, (void)k, (void)s;
#if USE == 0
    (void)STATICTRAMP_BIND(f, &k, double, double, int, double);
#elif USE == 1 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(f, &k, double, double, double); /* a parameter is missing */
#elif USE == 2 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(f, &k, double, double, int, double, int); /* one too many */
#elif USE == 3 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(f, &k, double, int, double, double); /* order */
#elif USE == 4 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(f, &k, int, double, int, double); /* result */
#elif USE == 5 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(f, &k, void, double, int, double);
#elif USE == 6 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(longs, &s, long, int); /* width */
#elif USE == 7 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(longs, &s, long, long long); /* even if both have the same size */
#elif USE == 8 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(byte, &s, void, unsigned char, unsigned); /* sign */
#elif USE == 9 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(text, &s, void, char *); /* qualifier */
#elif USE == 10 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(text, &s, void, const int *); /* another pointer */
#elif USE == 11 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(text, &s, void, long); /* an integer for a pointer */
#elif USE == 12 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(ints, &k, int, int, int); /* another context */
#elif USE == 13 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(nothing, constant, void); /* the callee may change a constant context */
#elif USE == 14 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(&k, global, void); /* exchanged */
#elif USE == 15 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(global, &k, int, int); /* the callee takes no context */
#elif USE == 16 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND((statictramp_fn)ints, &s, int, int, int); /* the type is lost */
#elif USE == 17 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(var, &s, void, const char *); /* variadic */
#elif USE == 18 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(list, &s, void, const char *, void **); /* another type for va_list */
#elif USE == 19 /* expected: a parameter has the type void */
    return STATICTRAMP_BIND(nothing, &s, void, void);
#elif USE == 20 /* expected: the list of types is empty */
    return STATICTRAMP_BIND(nothing, &s, );
#elif USE == 21 /* expected: a parameter is not an arithmetic type */
    return STATICTRAMP_BIND(large, &s, void, struct t);
#elif USE == 22 /* expected: the result is not void */
    return STATICTRAMP_BIND(result, &s, struct t);
#elif USE == 23 /* expected: the context is not a pointer */
    return STATICTRAMP_BIND(any, k, void, int);
#elif USE == 24 /* expected: the context is not a pointer */
    return STATICTRAMP_BIND(any, 5, void, int);
#elif USE == 25 /* expected: there are more than 64 parameters */
#define EIGHT int, int, int, int, int, int, int, int
    return STATICTRAMP_BIND(ints, &s, int, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, int);
#elif USE == 26 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(longs, unknown, void, long);
#elif USE == 27 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(ints, unknown, int, int);
#elif USE == 28 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(nothing, (void *)0, void, int);
#elif USE == 29 /* expected: the context is not a pointer */
    return STATICTRAMP_BIND(nothing, s, void);
#elif USE == 30 /* expected: a parameter is not an arithmetic type */
    return STATICTRAMP_BIND(nothing, &s, void, union u);
#elif USE == 31 /* expected: the callee is not a function */
    return STATICTRAMP_BIND(k, &k, void);
#elif USE == 32 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND((void *)0, &k, void);
#elif USE == 33 /* expected: expected (declaration specifiers|parameter declarator) */
    return STATICTRAMP_BIND(ints, &s, int, int, 5);
#elif USE == 34 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(&make, &s, statictramp_fn, void *, const struct s *); /* in another order */
#elif USE == 35 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(any, unknown, void, double); /* converted by a call */
#elif USE == 36 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(any, (void *)0, void, double);
#elif USE == 37 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(any, 0, void, long);
#elif USE == 38 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(any, constant_unknown, void, int); /* qualifier */
#elif USE == 39 /* expected: cast a context of type void  */
    return STATICTRAMP_BIND(ints, unknown, int, int, int);
#elif USE == 40 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(any_var, unknown, void, const char *);
#elif USE == 41 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(other, unknown, void, int);
#elif USE == 42 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(old, unknown, void, float); /* promoted */
#elif USE == 43 /* expected: the type of the callee does not match */
    return STATICTRAMP_BIND(old, unknown, void, short);
#elif USE == 44 /* expected: the context is a pointer to a function */
    return STATICTRAMP_BIND(any, global, void, int);
#elif USE == 45 /* expected: the context is a pointer to a function */
    return STATICTRAMP_BIND(any, &global, void, int);
#elif USE == 46 /* expected: a listed type has a larger alignment than its size */
    return STATICTRAMP_BIND(longs, &s, long, aligned_long);
#elif USE == 47 /* expected: a listed type has a larger alignment than its size */
    return STATICTRAMP_BIND(longs, &s, aligned_long, long);
#elif USE == 48 /* expected: a comma without a type */
    return STATICTRAMP_BIND(ints, &s, int, int, );
#elif USE == 49 /* expected: a comma without a type */
    return STATICTRAMP_BIND(ints, &s, int, , int);
#elif USE == 50 /* expected: there are more than 64 parameters */
#define EIGHT int, int, int, int, int, int, int, int
    return STATICTRAMP_BIND(ints, &s, int, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT);
#endif
    return 0;
}
