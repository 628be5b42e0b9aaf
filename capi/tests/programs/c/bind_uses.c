/* Correct uses of STATICTRAMP_BIND: kinds of callees, contexts and types. They compile without a warning. */

#include <statictramp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdbool.h>
struct s { int n; };
struct inc;
typedef int (*fp)(int);
enum e { A };
static int by_key(const int *k, const char *a, const char *b) { return k[0] + *a - *b; }
static void v0(struct s *s) { s->n++; }
static void vc(const struct s *s, int a) { (void)s; (void)a; }
static void vv(volatile struct s *s, int a) { (void)s; (void)a; }
static void vcv(const volatile struct s *s, int a) { (void)s; (void)a; }
static void vd(void *s, int a) { (void)s; (void)a; }
static void vdc(const void *s, const int a) { (void)s; (void)a; }
struct sink { int n; };
static void put(struct sink *s, int l, const char *t, va_list a) { (void)s; (void)l; (void)t; (void)a; }
static int arr(struct s *s, int a[10], const int b[], int (*f)(int), int g(int)) { return s->n + a[0] + b[0] + f(1) + g(1); }
static fp retfp(struct s *s) { (void)s; return 0; }
static int (*retfp2(struct s *s))(int) { (void)s; return 0; }
static float fl(struct s *s, float f, double d, long l, long long ll, enum e e, bool b, char c, struct inc *i) { return s->n + f + d + l + ll + e + b + c + !i; }
static _Noreturn void die(struct s *s, int c) { (void)s; (void)c; for (;;); }
__attribute__((const)) static int cst(struct s *s, int c) { (void)s; return c; }
__attribute__((pure)) static int pur(struct s *s, int c) { return s->n + c; }
__attribute__((format(printf, 3, 0))) static void fmt(struct sink *s, int l, const char *t, va_list a) { (void)s; (void)l; (void)t; (void)a; }
__attribute__((nonnull)) static int nn(struct s *s, const char *c) { return s->n + *c; }
__attribute__((warn_unused_result)) static int wur(struct s *s, const char *c) { return s->n + *c; }
static inline int inl(struct s *s, int n) { return s->n + n; }
static int rs(struct s *restrict s, int *restrict p) { return s->n + *p; }
static const char *str(struct s *s, const char *const *p) { (void)s; return *p; }
static double large(struct s *s, double a, double b) { return s->n + a + b; }
static int two_restrict(struct s *s, int *restrict a, int *restrict b) { return s->n + *a + *b; }
static int of_row(const int (*row)[3], int n) { return (*row)[n]; }
struct aligned { _Alignas(32) int n; };
static int wide(struct s *s, long double l[], const struct aligned *a, int *const p[2]) { return s->n + (int)l[0] + a->n + *p[0]; }
static int takes_pointer(void (**f)(int), int n) { f[n](n); return n; }
#define EIGHT int, int, int, int, int, int, int, int
#define MOST EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT
extern int most(struct s *, MOST);
#define CALLEE by_key
extern statictramp_fn all[64];
statictramp_fn all[64];
struct holder { int (*f)(struct s *, int); struct s s; struct s arr[3]; };
void test(struct holder *h, const struct s *cs, void *vp, const void *cvp, volatile struct s *vs, const int (*rows)[3], void (**pointers)(int), struct inc *inc);
void test(struct holder *h, const struct s *cs, void *vp, const void *cvp, volatile struct s *vs, const int (*rows)[3], void (**pointers)(int), struct inc *inc)
{
    static const int keys[] = {1};
    int n = 0;
    struct s s = {0}, a2[2];
    all[n] = STATICTRAMP_BIND(by_key, keys, int, const char *, const char *);
    all[n] = STATICTRAMP_BIND(&by_key, keys + 0, int, const char *, const char *);
    all[n] = STATICTRAMP_BIND(CALLEE, &keys[0], int, const char *, const char *);
    all[n] = STATICTRAMP_BIND(*by_key, keys, int, const char *, const char *);
    all[n] = STATICTRAMP_BIND(v0, &s, void);
    all[n] = STATICTRAMP_BIND(vc, &s, void, int);
    all[n] = STATICTRAMP_BIND(vc, cs, void, int);
    all[n] = STATICTRAMP_BIND(vv, vs, void, int);
    all[n] = STATICTRAMP_BIND(vv, &s, void, int);
    all[n] = STATICTRAMP_BIND(vcv, &s, void, int);
    all[n] = STATICTRAMP_BIND(vcv, cs, void, int);
    all[n] = STATICTRAMP_BIND(vcv, vs, void, int);
    all[n] = STATICTRAMP_BIND(vd, &s, void, int);
    all[n] = STATICTRAMP_BIND(vdc, &s, void, int);
    all[n] = STATICTRAMP_BIND(vdc, cs, void, int);
    all[n] = STATICTRAMP_BIND(vdc, cvp, void, const int);
    all[n] = STATICTRAMP_BIND(vd, vp, void, int);
    all[n] = STATICTRAMP_BIND(vc, (const struct s *)vp, void, int);
    all[n] = STATICTRAMP_BIND(vc, (struct s *)NULL, void, int);
    all[n] = STATICTRAMP_BIND(vd, NULL, void, int);
    all[n] = STATICTRAMP_BIND(vdc, 0, void, int);
    all[n] = STATICTRAMP_BIND(vd, 0, void, int);
    all[n] = STATICTRAMP_BIND(v0, a2, void);
    all[n] = STATICTRAMP_BIND(v0, h->arr, void);
    all[n] = STATICTRAMP_BIND(h->f, &h->s, int, int);
    all[n] = STATICTRAMP_BIND(s.n > 3 ? pur : h->f, &h->s, int, int);
    all[n] = STATICTRAMP_BIND(put, (&(struct sink){0}), void, int, const char *, va_list);
    all[n] = STATICTRAMP_BIND(arr, &s, int, int *, const int *, int (*)(int), fp);
    all[n] = STATICTRAMP_BIND(arr, &s, int, int[10], const int[], fp, int (*)(int));
    all[n] = STATICTRAMP_BIND(retfp, &s, fp);
    all[n] = STATICTRAMP_BIND(retfp2, &s, int (*)(int));
    all[n] = STATICTRAMP_BIND(fl, &s, float, float, double, long, long long, enum e, bool, char, struct inc *);
    all[n] = STATICTRAMP_BIND(die, &s, void, int);
    all[n] = STATICTRAMP_BIND(cst, &s, int, int);
    all[n] = STATICTRAMP_BIND(pur, &s, int, const int);
    all[n] = STATICTRAMP_BIND(fmt, (struct sink *)vp, void, int, const char *, va_list);
    all[n] = STATICTRAMP_BIND(nn, &s, int, const char *);
    all[n] = STATICTRAMP_BIND(wur, &s, int, const char *);
    all[n] = STATICTRAMP_BIND(inl, &s, int, int);
    all[n] = STATICTRAMP_BIND(rs, &s, int, int *restrict);
    all[n] = STATICTRAMP_BIND(str, &s, const char *, const char *const *);
    all[n] = STATICTRAMP_BIND(vd, vp = &s, void, int);
    all[n] = STATICTRAMP_BIND(vd, (void *)(uintptr_t)5, void, int);
    all[n] = STATICTRAMP_BIND(vd, (void *)(uintptr_t)STATICTRAMP_BIND(v0, &s, void), void, int);
    all[n] = STATICTRAMP_BIND((void (*)(struct s *, int))vd, &s, void, int);
    all[n] = STATICTRAMP_BIND(STATICTRAMP_VERSION ? v0 : 0, &s, void);
    all[n] = STATICTRAMP_BIND(vd, "text", void, int);
    all[n] = STATICTRAMP_BIND(two_restrict, &s, int, int *restrict, int *restrict);
    const int (*row)[3] = rows;
    all[n] = STATICTRAMP_BIND(of_row, row, int, int);
    all[n] = STATICTRAMP_BIND(vdc, row, void, int);
    all[n] = STATICTRAMP_BIND(wide, &s, int, long double[], const struct aligned *, int *const[2]);
    all[n] = STATICTRAMP_BIND(takes_pointer, pointers, int, int);
    all[n] = STATICTRAMP_BIND(vd, inc, void, int);
    all[n] = STATICTRAMP_BIND(most, &s, int, MOST); /* 64 parameters */
#if __STDC_VERSION__ >= 202311L
    all[n] = STATICTRAMP_BIND(vd, nullptr, void, int);
#endif
}
/* A context may be initialized after the call. */
void later(void (*start)(statictramp_fn, struct s *));
void later(void (*start)(statictramp_fn, struct s *))
{
    struct s first, second;
    start(STATICTRAMP_BIND(vc, &first, void, int), &first);
    statictramp_fn t = STATICTRAMP_BIND(large, &second, double, double, double);
    start(t, &second);
}
