/* The C library on Windows: every function of statictramp.h, growth, threads, fibers, compilers' calls, calls after
   free. */

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "statictramp.h"

#define CHECK(condition) \
    ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))
#define FN(f) ((statictramp_fn)(f))

/* Callees that expect their context in the static-chain register. */
void *the_chain(void);
__asm__(".text\n.globl the_chain\nthe_chain: mov %r10, %rax\nret\n");

/* Functions that flang's and GCC's code calls. */
const void *_FortranATrampolineInit(void *, const void *, const void *);
const void *_FortranATrampolineAdjust(const void *);
void _FortranATrampolineFree(const void *);
void __gcc_nested_func_ptr_created(void *, void *, void *);
void __gcc_nested_func_ptr_deleted(void);

struct big { long long a[5]; };
struct three { unsigned char a[3]; };

static long long six(long long a, long long b, long long c, long long d, long long e, long long f)
{
    return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f;
}
static struct big in_memory(void *context, double x, int y)
{
    struct big result = {{(size_t)context, (long long)(x * 4), y, 0, 7}};
    return result;
}
static double four(void *context, double a, long long b, float c)
{
    return (double)(size_t)context + 10 * a + 100 * (double)b + 1000 * c;
}
static struct big big_of(void *context, int a, double x)
{
    struct big result = {{(size_t)context, a, (long long)x, 0, 9}};
    return result;
}

struct two { long long a, b; };
static struct two two_of(void *context, int x)
{
    struct two result = {(long long)(size_t)context, x};
    return result;
}
static struct three three_of(void *context, int x)
{
    struct three result = {{(unsigned char)(size_t)context, (unsigned char)x, 3}};
    return result;
}

static void test_plain(void)
{
    int context = 0;
    statictramp_fn t = statictramp_alloc(FN(the_chain), &context), callee;
    void *chain;
    CHECK(t && ((void *(*)(void))t)() == &context && statictramp_live() == 1);
    CHECK(statictramp_lookup(t, &callee, &chain) == 1 && callee == FN(the_chain) && chain == &context);
    CHECK(statictramp_free(t) == 0 && statictramp_live() == 0);
    errno = 0;
    CHECK(statictramp_free(t) == -1 && errno == EINVAL);
    CHECK(statictramp_lookup(t, &callee, &chain) == 0 && callee == FN(the_chain) && chain == NULL);
    errno = 0;
    CHECK(statictramp_free(FN(four)) == -1 && errno == EINVAL && statictramp_lookup(FN(&chain), NULL, NULL) == -1);
    errno = 0;
    CHECK(statictramp_alloc(NULL, NULL) == NULL && errno == EINVAL);
    CHECK(statictramp_version() == STATICTRAMP_VERSION);
}

static void test_bind(void)
{
    for (unsigned position = 0; position < 4; position++) {
        long long expected = 0, unit = 1;
        for (unsigned i = 0; i < 6; i++, unit *= 10)
            expected += unit * (i == position ? 9 : i + 1);
        statictramp_fn t = statictramp_bind(FN(six), (void *)9, position);
        CHECK(((long long (*)(long long, long long, long long, long long, long long, long long))t)(1, 2, 3, 4, 5, 6) == expected);
        CHECK(statictramp_free(t) == 0);
    }
    CHECK(statictramp_bind(FN(six), NULL, 4) == NULL && statictramp_bind(FN(six), NULL, (unsigned)-1) == NULL);
    /* A result in memory takes the first register. */
    statictramp_fn t = statictramp_bind(FN(in_memory), (void *)77, 1);
    struct big big = ((struct big(*)(void *, double, int))t)(NULL, 2.5, -3);
    CHECK(big.a[0] == 77 && big.a[1] == 10 && big.a[2] == -3 && big.a[4] == 7 && statictramp_free(t) == 0);

    CHECK(statictramp_live() == 0);
}

/* Each parameter takes a register, including floating-point ones: so there are three besides the context. */
static void test_bind_first(void)
{
    statictramp_fn t = statictramp_bind_first(FN(four), (void *)7, 3);
    CHECK(((double (*)(double, long long, float))t)(1, 2, 3) == 3217 && statictramp_rebind(t, (void *)8) == 0);
    CHECK(((double (*)(double, long long, float))t)(1, 2, 3) == 3218 && statictramp_free(t) == 0);
    CHECK(statictramp_rebind(t, NULL) == -1);
    t = statictramp_bind_first(FN(big_of), (void *)7, 2 | STATICTRAMP_RESULT_IN_MEMORY);
    struct big big = ((struct big(*)(int, double))t)(-4, 2.5);
    CHECK(big.a[0] == 7 && big.a[1] == -4 && big.a[2] == 2 && big.a[4] == 9 && statictramp_free(t) == 0);
    /* Every struct except those of 1, 2, 4 and 8 bytes is in memory. */
    t = statictramp_bind_first(FN(two_of), (void *)7, 1 | STATICTRAMP_RESULT_IN_MEMORY);
    struct two two = ((struct two(*)(int))t)(5);
    CHECK(two.a == 7 && two.b == 5 && statictramp_free(t) == 0);
    t = statictramp_bind_first(FN(three_of), (void *)7, 1 | STATICTRAMP_RESULT_IN_MEMORY);
    struct three three = ((struct three(*)(int))t)(5);
    CHECK(three.a[0] == 7 && three.a[1] == 5 && three.a[2] == 3 && statictramp_free(t) == 0);
    for (unsigned used = 0; used < 8; used++) {
        t = statictramp_bind_first(FN(four), NULL, used);
        CHECK((t != NULL) == (used < 4) && (!t || statictramp_free(t) == 0));
        t = statictramp_bind_first(FN(four), NULL, used | STATICTRAMP_RESULT_IN_MEMORY);
        CHECK((t != NULL) == (used < 3) && (!t || statictramp_free(t) == 0));
    }
}

static const statictramp_leaf leaves_of_big[] = {{0, STATICTRAMP_KIND_INT64, NULL}, {8, STATICTRAMP_KIND_INT64, NULL}, {16, STATICTRAMP_KIND_INT64, NULL},
                                                 {24, STATICTRAMP_KIND_INT64, NULL}, {32, STATICTRAMP_KIND_INT64, NULL}};
static const statictramp_struct big_type = {sizeof(struct big), 5, leaves_of_big};
static const statictramp_leaf leaves_of_three[] = {{0, STATICTRAMP_KIND_UINT8, NULL}, {1, STATICTRAMP_KIND_UINT8, NULL}, {2, STATICTRAMP_KIND_UINT8, NULL}};
static const statictramp_struct three_type = {sizeof(struct three), 3, leaves_of_three};
struct pair { float x, y; };
static const statictramp_leaf leaves_of_pair[] = {{0, STATICTRAMP_KIND_FLOAT, NULL}, {4, STATICTRAMP_KIND_FLOAT, NULL}};
static const statictramp_struct pair_type = {sizeof(struct pair), 2, leaves_of_pair};
static const statictramp_leaf leaves_of_long_double[] = {{0, STATICTRAMP_KIND_LONG_DOUBLE, NULL}};
static const statictramp_struct long_double_type = {sizeof(long double), 1, leaves_of_long_double};

/* double, big, int, three, pair, float, long double, __int128, short */
static double sum_raw(statictramp_raw_call *call)
{
    double d; struct big big; int i; struct three three; struct pair pair; float f; long double l; __int128 w; short s;
    CHECK(statictramp_raw_next(call, STATICTRAMP_KIND_DOUBLE, &d) == 0);
    CHECK(statictramp_raw_next_struct(call, &big_type, &big) == 0);
    CHECK(statictramp_raw_next(call, STATICTRAMP_KIND_INT32, &i) == 0);
    CHECK(statictramp_raw_next_struct(call, &three_type, &three) == 0);
    CHECK(statictramp_raw_next_struct(call, &pair_type, &pair) == 0);
    CHECK(statictramp_raw_next(call, STATICTRAMP_KIND_FLOAT, &f) == 0);
    CHECK(statictramp_raw_next(call, STATICTRAMP_KIND_LONG_DOUBLE, &l) == 0);
    CHECK(statictramp_raw_next(call, STATICTRAMP_KIND_INT128, &w) == 0);
    CHECK(statictramp_raw_next(call, STATICTRAMP_KIND_INT16, &s) == 0);
    return d + (double)big.a[4] * 10 + i * 100 + three.a[2] * 1000 + pair.y * 1e4 + f * 1e5 + (double)l * 1e6 + (double)w * 1e7 + s * 1e8;
}
#define ALL_KINDS double, struct big, int, struct three, struct pair, float, long double, __int128, short
#define ALL_VALUES 1.0, (struct big){{0, 0, 0, 0, 2}}, 3, (struct three){{0, 0, 4}}, (struct pair){0, 5}, 6, 7, 8, 9
static const double all_sum = 987654321;

static void gives_double(void *context, statictramp_raw_call *call)
{
    double sum = sum_raw(call);
    CHECK(context == &all_sum && statictramp_raw_return(call, STATICTRAMP_KIND_DOUBLE, &sum) == 0);
}
static void gives_big(void *context, statictramp_raw_call *call)
{
    CHECK(statictramp_raw_expect(call, &big_type, STATICTRAMP_NOT_VARIADIC) == 0);
    struct big big = {{(long long)sum_raw(call), 0, 0, 0, (size_t)context}};
    CHECK(statictramp_raw_return_struct(call, &big_type, &big) == 0);
}
static void gives_pair(void *context, statictramp_raw_call *call)
{
    (void)context;
    CHECK(statictramp_raw_expect(call, &pair_type, STATICTRAMP_NOT_VARIADIC) == 0);
    struct pair pair = {sum_raw(call) == all_sum, 8};
    CHECK(statictramp_raw_return_struct(call, &pair_type, &pair) == 0);
}
static void gives_long_double(void *context, statictramp_raw_call *call)
{
    (void)context;
    CHECK(statictramp_raw_expect(call, &long_double_type, STATICTRAMP_NOT_VARIADIC) == 0);
    long double sum = sum_raw(call);
    CHECK(statictramp_raw_return(call, STATICTRAMP_KIND_LONG_DOUBLE, &sum) == 0);
}
static void gives_wide(void *context, statictramp_raw_call *call)
{
    (void)context;
    __int128 sum = (__int128)sum_raw(call) << 64;
    CHECK(statictramp_raw_return(call, STATICTRAMP_KIND_INT128, &sum) == 0);
}
static void sums_variadic(void *context, statictramp_raw_call *call)
{
    (void)context;
    int count;
    double sum = 0, x;
    CHECK(statictramp_raw_expect(call, NULL, 1) == 0 && statictramp_raw_next(call, STATICTRAMP_KIND_INT32, &count) == 0);
    for (; count > 0; count--, sum = sum * 10 + x)
        CHECK(statictramp_raw_next(call, STATICTRAMP_KIND_DOUBLE, &x) == 0);
    CHECK(statictramp_raw_return(call, STATICTRAMP_KIND_DOUBLE, &sum) == 0);
}
/* In each register, and on the stack. */
static void sums_long_doubles(void *context, statictramp_raw_call *call)
{
    (void)context;
    double sum = 0;
    for (int i = 0; i < 5; i++) {
        long double l;
        CHECK(statictramp_raw_next(call, STATICTRAMP_KIND_LONG_DOUBLE, &l) == 0);
        sum = sum * 10 + (double)l;
    }
    CHECK(statictramp_raw_return(call, STATICTRAMP_KIND_DOUBLE, &sum) == 0);
}
static jmp_buf out;
static void jumps(void *context, statictramp_raw_call *call)
{
    (void)call;
    longjmp(*(jmp_buf *)context, 7);
}
static void test_raw(void)
{
    statictramp_fn t = statictramp_bind_raw(gives_double, (void *)&all_sum);
    CHECK(((double (*)(ALL_KINDS))t)(ALL_VALUES) == all_sum && statictramp_free(t) == 0);
    t = statictramp_bind_raw(gives_big, (void *)5);
    struct big big = ((struct big(*)(ALL_KINDS))t)(ALL_VALUES);
    CHECK(big.a[0] == (long long)all_sum && big.a[4] == 5 && statictramp_free(t) == 0);
    t = statictramp_bind_raw(gives_pair, NULL);
    struct pair pair = ((struct pair(*)(ALL_KINDS))t)(ALL_VALUES);
    CHECK(pair.x == 1 && pair.y == 8 && statictramp_free(t) == 0);
    t = statictramp_bind_raw(gives_long_double, NULL);
    CHECK(((long double (*)(ALL_KINDS))t)(ALL_VALUES) == all_sum && statictramp_free(t) == 0);
    t = statictramp_bind_raw(gives_wide, NULL);
    CHECK(((__int128 (*)(ALL_KINDS))t)(ALL_VALUES) == (__int128)all_sum << 64 && statictramp_free(t) == 0);
    t = statictramp_bind_raw(sums_variadic, NULL);
    CHECK(((double (*)(int, ...))t)(6, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0) == 123456 && statictramp_free(t) == 0);
    t = statictramp_bind_raw(sums_long_doubles, NULL);
    typedef long double L;
    CHECK(((double (*)(L, L, L, L, L))t)(1, 2, 3, 4, 5) == 12345 && statictramp_free(t) == 0);
    /* A jump unwinds, too. */
    t = statictramp_bind_raw(jumps, &out);
    for (volatile int i = 0; i < 1000; i++) {
        int jumped = setjmp(out);
        if (jumped == 0)
            ((int (*)(int, double))t)(1, 2);
        CHECK(jumped == 7);
    }
    CHECK(statictramp_free(t) == 0);
}

/* The chain is the address of a frame, as in code compiled by flang. */
static void test_flang(void)
{
    int frame = 0;
    const void *handle = _FortranATrampolineInit(NULL, (const void *)the_chain, &frame);
    CHECK(((void *(*)(void))_FortranATrampolineAdjust(handle))() == &frame && statictramp_live() == 1);
    _FortranATrampolineFree(handle);
    CHECK(statictramp_live() == 0);
}

/* A host as compiled with -ftrampoline-impl=heap: it creates a trampoline at its beginning, and deletes it at its end. */
__attribute__((noinline)) static void host(int depth, int jumps)
{
    volatile int frame = depth;
    void *address = NULL;
    __gcc_nested_func_ptr_created((void *)&frame, (void *)the_chain, &address);
    CHECK(((void *(*)(void))address)() == &frame);
    if (depth > 0)
        host(depth - 1, jumps);
    else if (jumps)
        longjmp(out, 1);
    __gcc_nested_func_ptr_deleted();
}
static void test_gcc(void)
{
    host(10, 0);
    CHECK(statictramp_live() == 0);
    for (volatile int i = 0; i < 2000; i++)
        if (setjmp(out) == 0)
            host(10, 1);
    host(0, 0); /* finds the abandoned slots */
    CHECK(statictramp_live() <= 1);
    host(0, 0);
    CHECK(statictramp_live() == 0);
}
/* Hosts of flang's code that are abandoned at different depths. Their slots are found when the table is full. */
__attribute__((noinline)) static void left(int depth)
{
    volatile char frame[64];
    frame[0] = 0;
    if (depth > 0)
        left(depth - 1);
    else
        _FortranATrampolineInit(NULL, (const void *)the_chain, (const void *)frame);
    if (depth == 0)
        longjmp(out, 1);
    frame[1] = 1;
}
static void test_reclaim(void)
{
    size_t capacity = statictramp_capacity();
    statictramp_set_limit(capacity);
    for (volatile size_t i = 2 * capacity; i > 0; i--) /* each is further up the stack than those before */
        if (setjmp(out) == 0)
            left((int)i);
    CHECK(statictramp_live() <= capacity && statictramp_capacity() == capacity);
    statictramp_fn t = statictramp_alloc(FN(the_chain), NULL);
    CHECK(t && statictramp_free(t) == 0);
}

static LPVOID main_fiber, fiber;
static void CALLBACK on_fiber(LPVOID parameter)
{
    host(3, 0);
    int frame;
    void *address;
    __gcc_nested_func_ptr_created(&frame, (void *)the_chain, &address);
    SwitchToFiber(main_fiber);
    CHECK(((void *(*)(void))address)() == &frame);
    __gcc_nested_func_ptr_deleted();
    *(int *)parameter = 1;
    SwitchToFiber(main_fiber);
}
static void test_fibers(void)
{
    int done = 0;
    size_t before = statictramp_live();
    CHECK((main_fiber = ConvertThreadToFiber(NULL)) != NULL && (fiber = CreateFiber(1 << 17, on_fiber, &done)) != NULL);
    SwitchToFiber(fiber);
    host(3, 0); /* keeps the fiber's live slots */
    CHECK(statictramp_live() == before + 1);
    SwitchToFiber(fiber);
    CHECK(done && statictramp_live() == before);
    DeleteFiber(fiber);
}

static volatile LONG made;
static DWORD WINAPI churn(LPVOID number)
{
    statictramp_fn held[8] = {0};
    unsigned random = (unsigned)(size_t)number + 1;
    for (int i = 0; i < 20000; i++) {
        unsigned at = (random = random * 1103515245 + 12345) >> 16 & 7;
        char *context = (char *)number + at + 1;
        if (held[at] == NULL) {
            CHECK((held[at] = statictramp_alloc(FN(the_chain), context)) != NULL);
            InterlockedIncrement(&made);
        } else {
            CHECK(((char *(*)(void))held[at])() == context && statictramp_free(held[at]) == 0);
            held[at] = NULL;
        }
    }
    for (int at = 0; at < 8; at++)
        CHECK(held[at] == NULL || statictramp_free(held[at]) == 0);
    return 0;
}
static void test_threads(void)
{
    size_t before = statictramp_live();
    for (int round = 0; round < 3; round++) { /* threads that end, and others after them */
        HANDLE threads[8];
        for (size_t i = 0; i < 8; i++)
            CHECK((threads[i] = CreateThread(NULL, 0, churn, (void *)(i << 20), 0, NULL)) != NULL);
        CHECK(WaitForMultipleObjects(8, threads, TRUE, INFINITE) == WAIT_OBJECT_0);
        for (int i = 0; i < 8; i++)
            CloseHandle(threads[i]);
    }
    CHECK(statictramp_live() == before && made > 100000);
}

static void test_growth(void)
{
    size_t capacity = statictramp_capacity(), many = 5 * capacity;
    statictramp_fn *all = malloc(many * sizeof *all);
    statictramp_set_limit(capacity);
    SetLastError(12345);
    for (size_t i = 0; i < capacity; i++)
        CHECK((all[i] = statictramp_alloc(FN(the_chain), (void *)i)) != NULL);
    errno = 0;
    CHECK(statictramp_alloc(FN(the_chain), NULL) == NULL && errno == ENOMEM);
    statictramp_set_limit(8 * capacity);
    for (size_t i = capacity; i < many; i++)
        CHECK((all[i] = statictramp_alloc(FN(the_chain), (void *)i)) != NULL);
    CHECK(statictramp_capacity() == 8 * capacity && GetLastError() == 12345);
    for (size_t i = 0; i < many; i++) {
        void *chain;
        MEMORY_BASIC_INFORMATION code;
        CHECK(((size_t (*)(void))all[i])() == i && statictramp_lookup(all[i], NULL, &chain) == 1 && chain == (void *)i);
        CHECK(VirtualQuery((void *)all[i], &code, sizeof code) && code.Protect == PAGE_EXECUTE_READ);
        CHECK(statictramp_lookup((statictramp_fn)((char *)all[i] + 1), NULL, NULL) == -1);
    }
    for (size_t i = 0; i < many; i++)
        CHECK(statictramp_free(all[i]) == 0 && statictramp_lookup(all[i], NULL, NULL) == 0);
    CHECK(statictramp_live() == 0);
    free(all);
}

/* Structured exceptions pass through a stub, which has no frame. */
static int raises(void *context)
{
    RaiseException(0xe0001234, 0, 1, (ULONG_PTR *)&context);
    return 1;
}
static LONG CALLBACK jumps_out(EXCEPTION_POINTERS *what)
{
    if (what->ExceptionRecord->ExceptionCode == 0xe0001234 && what->ExceptionRecord->ExceptionInformation[0] == 55)
        return EXCEPTION_CONTINUE_EXECUTION;
    return EXCEPTION_CONTINUE_SEARCH;
}
static void test_exceptions(void)
{
    PVOID handler = AddVectoredExceptionHandler(1, jumps_out);
    statictramp_fn t = statictramp_bind(FN(raises), (void *)55, 0);
    CHECK(((int (*)(void *))t)(NULL) == 1 && statictramp_free(t) == 0);
    RemoveVectoredExceptionHandler(handler);
}

static void call_dead(void)
{
    statictramp_fn t = statictramp_alloc(FN(the_chain), NULL);
    statictramp_free(t);
    t();
}
static void on_dead(size_t slot, statictramp_fn late)
{
    fprintf(stderr, "told of slot %zu, %d\n", slot, late == FN(the_chain));
    fflush(stderr);
}
static void call_dead_handled(void)
{
    statictramp_on_dead_call(on_dead);
    call_dead();
}
static void delete_none(void) { __gcc_nested_func_ptr_deleted(); }
static void full(void)
{
    int frames[9];
    statictramp_set_limit(1);
    for (size_t i = 0; i <= statictramp_capacity(); i++)
        _FortranATrampolineInit(NULL, (const void *)the_chain, (void *)(frames + 9 + i));
}
static const struct { const char *name; void (*f)(void); const char *says; } ends[] = {
    {"dead", call_dead, "statictramp: call through a freed trampoline: slot "},
    {"told", call_dead_handled, "told of slot "},
    {"none", delete_none, "statictramp: a nested function's trampoline was deleted, but"},
    {"full", full, "trampolines are in use, and the table cannot grow: "},
};

/* Each error occurs in its own process, which ends by __fastfail. */
static void test_ends(void)
{
    wchar_t path[MAX_PATH], line[MAX_PATH + 16];
    char output[1024];
    GetModuleFileNameW(NULL, path, MAX_PATH);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        HANDLE from, to;
        SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
        CHECK(CreatePipe(&from, &to, &inherited, 0));
        STARTUPINFOW start = {0};
        start.cb = sizeof start;
        start.dwFlags = STARTF_USESTDHANDLES;
        start.hStdError = start.hStdOutput = to;
        PROCESS_INFORMATION child;
        _snwprintf(line, MAX_PATH + 16, L"\"%ls\" %hs", path, ends[i].name);
        CHECK(CreateProcessW(path, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &child));
        CloseHandle(to);
        DWORD length = 0, got, status;
        while (length < sizeof output - 1 && ReadFile(from, output + length, sizeof output - 1 - length, &got, NULL) && got > 0)
            length += got;
        output[length] = 0;
        WaitForSingleObject(child.hProcess, INFINITE);
        CHECK(GetExitCodeProcess(child.hProcess, &status));
        if (status != 0xc0000409 || strstr(output, ends[i].says) == NULL) {
            fprintf(stderr, "%s: status %lx, says %s\n", ends[i].name, (unsigned long)status, output);
            exit(1);
        }
        CloseHandle(from);
    }
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(argv[1], ends[i].name) == 0)
            ends[i].f();
    if (argc > 1)
        return 0;
    setvbuf(stdout, NULL, _IONBF, 0);
    const struct { const char *name; void (*f)(void); } tests[] = {
        {"plain", test_plain}, {"bind", test_bind}, {"bind_first", test_bind_first}, {"raw", test_raw}, {"flang", test_flang}, {"gcc", test_gcc},
        {"growth", test_growth}, {"fibers", test_fibers}, {"threads", test_threads}, {"exceptions", test_exceptions},
        {"ends", test_ends}, {"reclaim", test_reclaim},
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        tests[i].f();
        printf("%s ", tests[i].name);
    }
    puts("done");
    return 0;
}
