#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __x86_64__ || defined __i386__
typedef __float128 quad;
#elif __SIZEOF_LONG_DOUBLE__ == 16
typedef long double quad;
#endif
#ifdef __arm__
#define RUN_TIME_ABI __attribute__((pcs("aapcs")))
#else
#define RUN_TIME_ABI
#endif

static long rounds;
static uint64_t state, hash;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}
static void digest(const void *what, size_t size)
{
    for (const unsigned char *p = what; size--; p++)
        hash = (hash ^ *p) * 0x100000001b3;
}
static void begin(void) { state = 0x9e3779b97f4a7c15, hash = 0xcbf29ce484222325; }
static void end(const char *name) { printf("%s %016llx\n", name, (unsigned long long)hash); }

/* Numbers of any size, near each other, near whole ones, zeroes, infinities and quiet NaNs. */
#define FLOATING(mode, type)                                                               \
    static type any_##mode(void)                                                           \
    {                                                                                      \
        uint64_t random = next();                                                          \
        int64_t whole = (int64_t)next();                                                   \
        switch (random % 16) {                                                             \
        case 0: return 0.0f;                                                               \
        case 1: return -0.0f;                                                              \
        case 2: return (type)__builtin_inff();                                             \
        case 3: return (type)__builtin_nanf("");                                           \
        case 4: return (type)-__builtin_inff();                                            \
        case 5: case 6: return (type)(float)(whole >> (random >> 58));                     \
        case 7: case 8: return (type)((float)(whole >> 50) + 0.5f);                        \
        case 9: return (type)1e-38f * (type)(float)whole;                                  \
        default: return (type)((double)whole / (double)(1 + (random >> (random >> 59))));  \
        }                                                                                  \
    }
FLOATING(sf, float)
FLOATING(df, double)
#ifdef __FLT16_MAX__
FLOATING(hf, _Float16)
#endif
#if __SIZEOF_INT128__ || defined __i386__
FLOATING(tf, quad)
#endif

#define WHOLE(mode, type)                                                                  \
    static type any_##mode(void)                                                           \
    {                                                                                      \
        uint64_t random = next(), low = next();                                            \
        type all = (type)(((random >> 8) * (unsigned long)1) ^ low);                       \
        if (sizeof all == 16)                                                              \
            all = (type)(all * (type)0x10001) * (type)low + (type)random;                  \
        return random & 1 ? all : all >> (random >> 3) % (sizeof all * 8);                 \
    }                                                                                      \
    static inline type small_##mode(void) { return (type)((int64_t)next() >> (64 - sizeof(type) * 4 + 2)); } \
    static inline type divisor_##mode(void)                                                \
    {                                                                                      \
        type any = any_##mode() | 1;                                                       \
        return any == -1 ? 3 : any;                                                        \
    }                                                                                      \
    static inline int shift_##mode(void) { return (int)(next() % (sizeof(type) * 8)); }
WHOLE(si, int32_t)
WHOLE(di, int64_t)
#if __SIZEOF_INT128__
WHOLE(ti, __int128)
#endif
static inline int power_si(void) { return (int)(next() % 61) - 30; }

/* Functions of <math.h>, by their types. */
#define MATH(mode, type)                                                                   \
    static inline void one_##mode(type (*volatile call)(type))                             \
    {                                                                                      \
        for (long n = 0; n < rounds; n++) {                                                \
            type result = call(any_##mode());                                              \
            digest(&result, sizeof result);                                                \
        }                                                                                  \
    }                                                                                      \
    static inline void two_##mode(type (*volatile call)(type, type))                       \
    {                                                                                      \
        for (long n = 0; n < rounds; n++) {                                                \
            type a = any_##mode(), b = any_##mode(), result = call(a, b);                  \
            digest(&result, sizeof result);                                                \
        }                                                                                  \
    }                                                                                      \
    static inline void three_##mode(type (*volatile call)(type, type, type))               \
    {                                                                                      \
        for (long n = 0; n < rounds; n++) {                                                \
            type a = any_##mode(), b = any_##mode(), c = any_##mode(), result = call(a, b, c); \
            digest(&result, sizeof result);                                                \
        }                                                                                  \
    }
#define BY_TYPE(mode, type)                                                                \
    type (*)(type): one_##mode, type (*)(type, type): two_##mode, type (*)(type, type, type): three_##mode
MATH(sf, float)
MATH(df, double)
#if defined __HAVE_FLOAT128 && __HAVE_FLOAT128
static _Float128 any_f128(void) { return any_tf(); }
MATH(f128, _Float128)
#define BY_FLOAT128 , BY_TYPE(f128, _Float128)
#else
#define BY_FLOAT128
#endif
#define OF(name) _Generic(&name, BY_TYPE(sf, float), BY_TYPE(df, double) BY_FLOAT128)(&name)

FUNCTIONS

int main(int count, char **arguments)
{
    rounds = count > 1 ? atol(arguments[1]) : 1000;
CALLS
    volatile _Complex double a = 1.1 + 2.3 * (_Complex double)__extension__ 1.0i, b = 1.0 + 1.3 * (_Complex double)__extension__ 1.0i, q = a / b;
    double real = __real__ q, imaginary = __imag__ q;
    printf("(1.1,2.3)/(1.0,1.3) = (%a,%a)\n", real, imaginary);
    return 0;
}
