/* A C program without libc. It binds contexts to normal functions. It also has nested functions, for which GCC
   writes trampolines as data on the stack. The contents of these trampolines, {chain, function}, are read and
   never run. */

#include <stdarg.h>

#include "board.h"
#include "statictramp.h"

#if defined(__arm__)
enum { REGISTERS = 4 };
#else
enum { REGISTERS = 8 };
#endif

#ifdef OWN_CRITICAL_SECTION
/* Replaces the library's critical section. A program for two cores would also have to take a lock. */
static volatile unsigned entered, nested, left;

_Bool _critical_section_1_0_acquire(void)
{
    unsigned masked;
    __asm__ volatile("mrs %0, PRIMASK\n cpsid i" : "=r"(masked)::"memory");
    entered++;
    nested += masked;
    return masked;
}

void _critical_section_1_0_release(_Bool masked)
{
    left++;
    if (!masked)
        __asm__ volatile("cpsie i" ::: "memory");
}

static void critical_sections(void)
{
    check(entered > 32 && entered == left && nested == 0);
    say("exchanges are the program's critical sections\n");
}
#else
static void critical_sections(void) {}
#endif

/* A driver's table, whose entries have no context. */
struct driver {
    int (*read)(int ignored, int at);
    void (*write)(int at, int value, int ignored);
};
struct device {
    int registers[4];
};

static int device_read(struct device *device, int at) { return device->registers[at]; }
static void device_write(int at, int value, struct device *device) { device->registers[at] = value; }

static void drivers(void)
{
    struct device devices[2] = {{{0}}, {{0}}};
    struct driver drivers[2];
    for (int i = 0; i < 2; i++) {
        drivers[i].read = (int (*)(int, int))statictramp_bind((statictramp_fn)device_read, &devices[i], 0);
        drivers[i].write = (void (*)(int, int, int))statictramp_bind((statictramp_fn)device_write, &devices[i], 2);
        check(drivers[i].read && drivers[i].write);
    }
    drivers[0].write(1, 40, -1);
    drivers[1].write(1, 2, -1);
    check(drivers[0].read(-1, 1) + drivers[1].read(-1, 1) == 42);
    statictramp_fn callee;
    void *context;
    check(statictramp_lookup((statictramp_fn)drivers[1].read, &callee, &context) == 1);
    check(callee == (statictramp_fn)device_read && context == &devices[1]);
    for (int i = 0; i < 2; i++) {
        check(statictramp_free((statictramp_fn)drivers[i].read) == 0);
        check(statictramp_free((statictramp_fn)drivers[i].write) == 0);
        check(statictramp_free((statictramp_fn)drivers[i].write) == -1);
    }
    check(statictramp_live() == 0);
    say("drivers have their devices\n");
}

static long all(long a, long b, long c, long d, long e, long f, long g, long h)
{
    return a + 10 * (b + 10 * (c + 10 * (d + 10 * (e + 10 * (f + 10 * (g + 10 * h))))));
}

struct point { float x; short y; };

static void walk(void *context, statictramp_raw_call *call)
{
    static const statictramp_leaf leaves[] = {{0, STATICTRAMP_KIND_FLOAT, NULL}, {4, STATICTRAMP_KIND_INT16, NULL}};
    static const statictramp_struct point_type = {sizeof(struct point), 2, leaves};
    const unsigned kind_of_long = sizeof(long) == 8 ? STATICTRAMP_KIND_INT64 : STATICTRAMP_KIND_INT32;
    long sum = 0;
    for (const char *type = context; *type; type++) {
        signed char c = 0;
        unsigned long long d = 0; /* floating-point numbers as bits: some boards have no FPU */
        long l = 0;
        struct { unsigned x; short y; } p = {0, 0};
        switch (*type) {
        case 'c': check(statictramp_raw_next(call, STATICTRAMP_KIND_INT8, &c) == 0); break;
        case 'd': check(statictramp_raw_next(call, STATICTRAMP_KIND_DOUBLE, &d) == 0); break;
        case 'l': check(statictramp_raw_next(call, kind_of_long, &l) == 0); break;
        default: check(statictramp_raw_next_struct(call, &point_type, &p) == 0);
        }
        sum = 10 * sum + (c < 0 ? -c : 0) + (d == 0x4000000000000000ull ? 2 : 0) + l + (p.x == 0x40800000 ? 4 : 0);
        check(*type != 's' || p.y == 5);
    }
    check(sum == 12346);
    long long result = -600000000000ll - 12345;
    check(statictramp_raw_return(call, STATICTRAMP_KIND_INT64, &result) == 0);
}

static void registers(void)
{
    long expected = 11111111, digit = 1;
    for (unsigned position = 0; position < REGISTERS; position++, digit *= 10) {
        statictramp_fn t = statictramp_bind((statictramp_fn)all, (void *)2, position);
        check(t && ((long (*)(long, long, long, long, long, long, long, long))t)(1, 1, 1, 1, 1, 1, 1, 1) == expected + digit);
        check(statictramp_free(t) == 0);
    }
    check(!statictramp_bind((statictramp_fn)all, NULL, REGISTERS) && !statictramp_bind(NULL, NULL, 0));
    check(!statictramp_alloc(NULL, NULL) && statictramp_free(NULL) == -1 && statictramp_free((statictramp_fn)say) == -1);
    check(statictramp_lookup((statictramp_fn)say, NULL, NULL) == -1);
    /* Inserted before the caller's arguments. */
    for (unsigned used = 0; used < REGISTERS; used++) {
        statictramp_fn t = statictramp_bind_first((statictramp_fn)all, (void *)2, used);
        long got = t ? ((long (*)(long, long, long, long, long, long, long, long))t)(3, 4, 5, 6, 7, 8, 9, 1) : 0;
        digit = 1;
        expected = 2;
        for (unsigned i = 1; i <= used; i++)
            expected += (digit *= 10) * (2 + (long)i);
        check(got % (digit * 10) == expected);
        check(statictramp_free(t) == 0);
    }
    check(!statictramp_bind_first((statictramp_fn)all, NULL, REGISTERS));
    /* A type known only at run time. */
    statictramp_fn t = statictramp_bind_raw(walk, "cdlsl");
    check(t && ((long long (*)(signed char, double, long, struct point, long))t)(-1, 2.0, 3, (struct point){4.0f, 5}, 6) == -600000000000ll - 12345);
    check(statictramp_free(t) == 0);
    say("a context may be in any register\n");
}

/* STATICTRAMP_BIND with as many words as leave a register for the context, with one more, with other types, and with a va_list. */
static long two(const long *context, signed char a, const long *b) { return *context + 10 * a + 100 * *b; }
static long three(const long *context, long a, unsigned char b, long c) { return *context + 10 * a + 100 * b + 1000 * c; }
static long many(long *context, long a, long b, long c, long d) { return *context + 10 * (a + 10 * (b + 10 * (c + 10 * d))); }
static long long narrow(long *context, int a, long long b) { return *context + 10 * a + 100 * b; }
static long summed(const long *context, int count, va_list arguments)
{
    long sum = *context;
    while (count-- > 0)
        sum = 10 * sum + va_arg(arguments, int);
    return sum;
}
static long sum_of(long (*f)(int, va_list), int count, ...)
{
    va_list arguments;
    va_start(arguments, count);
    long sum = f(count, arguments);
    va_end(arguments);
    return sum;
}
static void macro(void)
{
    long one = 1, hundred = 100;
    statictramp_fn t = STATICTRAMP_BIND(two, &one, long, signed char, const long *);
    check(t && ((long (*)(signed char, const long *))t)(-2, &hundred) == 1 - 20 + 10000 && statictramp_free(t) == 0);
    t = STATICTRAMP_BIND(three, &one, long, long, unsigned char, long);
    check(t && ((long (*)(long, unsigned char, long))t)(2, 203, 4) == 1 + 20 + 20300 + 4000 && statictramp_free(t) == 0);
    t = STATICTRAMP_BIND(many, &one, long, long, long, long, long);
    if (REGISTERS > 4)
        check(t && ((long (*)(long, long, long, long))t)(2, 3, 4, 5) == 54321 && statictramp_free(t) == 0);
    else
        check(!t);
    t = STATICTRAMP_BIND(narrow, &one, long long, int, long long);
    check(t && ((long long (*)(int, long long))t)(-2, 1ll << 40) == 1 - 20 + 100 * (1ll << 40) && statictramp_free(t) == 0);
    t = STATICTRAMP_BIND(summed, &one, long, int, va_list);
    check(t && sum_of((long (*)(int, va_list))t, 5, 2, 3, 4, 5, 6) == 123456 && statictramp_free(t) == 0);
    say("the macro determines the registers\n");
}

static void full(void)
{
    static statictramp_fn made[64];
    size_t n = 0;
    for (statictramp_fn t; (t = statictramp_bind((statictramp_fn)device_read, NULL, 0)); n++)
        made[n] = t;
    check(n == statictramp_capacity() && n == statictramp_live());
    while (n > 0)
        check(statictramp_free(made[--n]) == 0);
    say("a full table recovers\n");
}

/* Reads the contents of GCC's trampoline at the addresses where GCC 12 stores them. */
static statictramp_fn in_place_of(const void *written)
{
    uintptr_t address = (uintptr_t)written;
    __asm__ volatile("" ::: "memory"); /* the compiler does not know that the memory is read */
#if defined(__thumb2__) /* two instructions, then the pair */
    const uintptr_t *pair = (const uintptr_t *)((address & ~(uintptr_t)1) + 8);
    uintptr_t chain = pair[0], function = pair[1];
#elif defined(__thumb__) /* six two-byte instructions, then the pair */
    const uintptr_t *pair = (const uintptr_t *)((address & ~(uintptr_t)1) + 12);
    uintptr_t chain = pair[0], function = pair[1];
#elif __riscv_xlen == 64 /* four instructions, then the pair */
    const uintptr_t *pair = (const uintptr_t *)(address + 16);
    uintptr_t chain = pair[0], function = pair[1];
#else /* lui t2, chain; lui t0, function; addi t2, t2, chain; jr function(t0) */
    const int32_t *code = (const int32_t *)address;
    uintptr_t chain = (code[0] & ~0xfff) + (code[2] >> 20), function = (code[1] & ~0xfff) + (code[3] >> 20);
#endif
    return statictramp_alloc((statictramp_fn)function, (void *)chain);
}

static void apply(int *list, int count, int (*to)(int))
{
    for (int i = 0; i < count; i++)
        list[i] = to(list[i]);
}

__attribute__((noinline)) static int sum_of_scaled(int scale)
{
    int sum = 0;
    int nested(int x)
    {
        sum += scale * x;
        return scale * x;
    }
    int (*volatile written)(int) = nested;
    statictramp_fn t = in_place_of((const void *)written);
    check(t);
    int list[] = {1, 2, 3};
    apply(list, 3, (int (*)(int))t);
    check(list[2] == 3 * scale && statictramp_free(t) == 0);
    return sum;
}

__attribute__((noinline)) static int down(int depth, int (*above)(int))
{
    int here(int n) { return depth + (n > 0 && above ? above(n - 1) : 0); }
    int (*volatile written)(int) = here;
    statictramp_fn t = in_place_of((const void *)written);
    check(t);
    int result = depth == 0 ? ((int (*)(int))t)(100) : down(depth - 1, (int (*)(int))t);
    check(statictramp_free(t) == 0);
    return result;
}

#if defined(__ARM_ARCH_7M__)
static void tick(volatile int *ticks) { ++*ticks; }

static void timer(void)
{
    volatile int ticks = 0;
    statictramp_fn handler = statictramp_bind((statictramp_fn)tick, (void *)&ticks, 0);
    check(handler);
    start_timer(handler);
    while (ticks < 1000)
        check(sum_of_scaled(2) == 12);
    stop_timer();
    check(statictramp_free(handler) == 0);
    say("a timer's handler has its context\n");
}
#else
static void timer(void) {}
#endif

static void dead(size_t slot, statictramp_fn late)
{
    check(slot < statictramp_capacity() && late == (statictramp_fn)device_read);
    say("a call after free is diagnosed\n");
    leave(0);
}

int main(void)
{
    check(statictramp_version() == STATICTRAMP_VERSION && statictramp_live() == 0);
    drivers();
    registers();
    macro();
    full();
    check(sum_of_scaled(7) == 42 && down(12, NULL) == 78 && statictramp_live() == 0);
    say("nested functions run\n");
    timer();
    critical_sections();
    statictramp_fn late = statictramp_bind((statictramp_fn)device_read, NULL, 0);
    statictramp_free(late);
    statictramp_on_dead_call(dead);
    late();
    return 1;
}
