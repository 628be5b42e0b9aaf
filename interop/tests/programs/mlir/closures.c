/* Handlers in C, for function types in MLIR's syntax. The functions of callers.mlir call them. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#ifdef _WIN32
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>
#define CHECK(condition) ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))
#else
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../../../../tests/common/check.h"
#endif
#include "statictramp_interop.h"

typedef STATICTRAMP_MEMREF(float, 1) vector;
typedef STATICTRAMP_MEMREF(float, 2) matrix;
typedef STATICTRAMP_MEMREF_0(float) scalar;
typedef statictramp_unranked_memref unranked;
typedef struct {
    matrix m;
    double x;
    int8_t n;
} three;
typedef struct {
    int64_t n;
    float x;
} two;
typedef struct {
    double x;
    int64_t n;
    float y;
    double z[2];
    uint16_t half, brain;
} six;

void _mlir_ciface_many(three *, void *f, vector *, matrix *, scalar *);
void _mlir_ciface_pair(two *, void *f, vector *, int64_t);
void _mlir_ciface_unranked(matrix *, void *f, matrix *);
void _mlir_ciface_crowd_of_integers(six *, void *f, vector *);
int64_t _mlir_ciface_turned(void *c);
int64_t _mlir_ciface_recursive(void *f, vector *, int64_t);
int64_t _mlir_ciface_fixed(void *f, matrix *);

static const char of_many[] = "memref<?xf32>, f64, memref<?x?xf32, strided<[?, ?], offset: ?>>, i32, memref<f32>, f32, i1 -> "
                              "memref<?x?xf32, strided<[?, ?], offset: ?>>, f64, i8";
static void many(void *context, const void *const *arguments, void *results)
{
    const vector *v = arguments[0];
    const matrix *m = arguments[2];
    const scalar *s = arguments[4];
    int32_t n = *(const int32_t *)arguments[3];
    CHECK(*(const int8_t *)arguments[6] == 1);
    three r = {*m, *(double *)context + *v->aligned + *s->aligned + *(const double *)arguments[1] + n + *(const float *)arguments[5], (int8_t)n};
    r.m.sizes[0] = m->sizes[1], r.m.sizes[1] = m->sizes[0];
    *(three *)results = r;
}

static void pair(void *context, const void *const *arguments, void *results)
{
    (void)context;
    const vector *v = arguments[0];
    *(two *)results = (two){*(const int64_t *)arguments[1] * v->sizes[0], *v->aligned / 4};
}

static void without_rank(void *context, const void *const *arguments, void *results)
{
    const unranked *u = arguments[0];
    CHECK(u->rank == 2 && u->descriptor != context);
    matrix m = *(matrix *)u->descriptor;
    m.sizes[0] = 1;
    *(unranked *)results = (unranked){2, statictramp_unranked_result(2, &m)};
}

static void crowd(void *context, const void *const *arguments, void *results)
{
    (void)context;
    for (int i = 0; i < 5; i++)
        CHECK(*(const double *)arguments[2 * i] == i + 1 && *(const float *)arguments[2 * i + 1] == 1.0f / (float)(2 << i));
    const float *c = arguments[12];
    CHECK(*(const int64_t *)arguments[10] == -(INT64_C(1) << 40) && *(const int8_t *)arguments[11] == -7 && c[0] == 10 && c[1] == -20);
    CHECK(*(const uint16_t *)arguments[13] == 0x3e00 && *(const uint16_t *)arguments[14] == 0xc040);
    CHECK(*((const vector *)arguments[15])->aligned == 1);
    *(six *)results = (six){1.25, -9, 0.5f, {c[1], c[0]}, 0xbe00, 0x4040};
}

/* The types of two arguments and of two results are parameters. */
static void with_crowd(const char *signature, void (*call)(six *, void *f, vector *))
{
    statictramp_memref_closure closure;
    float number = 1;
    vector v = {&number, &number, 0, {1}, {1}};
    void *f = (void *)statictramp_bind_memref(&closure, signature, crowd, NULL);
    CHECK(f);
    six r;
    call(&r, f, &v);
    CHECK(r.x == 1.25 && r.n == -9 && r.y == 0.5f && r.z[0] == -20 && r.z[1] == 10 && r.half == 0xbe00 && r.brain == 0x4040);
    CHECK(statictramp_free((statictramp_fn)f) == 0);
}

static const char of_halves[] =
    "f64,f32,f64,f32,f64,f32,f64,f32,f64,f32,i64,i8,complex<f32>,f16,bf16,memref<?xf32> -> f64,i64,f32,complex<f64>,f16,bf16";
#if defined __x86_64__ || defined __aarch64__ || defined __riscv
void _mlir_ciface_crowd(six *, void *f, vector *);
int64_t _mlir_ciface_returned(void *f, void *g);

static void negated(void *context, const void *const *arguments, void *results)
{
    (void)context;
    *(uint16_t *)results = *(const uint16_t *)arguments[0] ^ 0x8000;
}
static void with_halves(void)
{
    static statictramp_memref_closure closures[2];
    with_crowd(of_halves, _mlir_ciface_crowd);
    statictramp_fn half = statictramp_bind_memref(&closures[0], "f16 -> f16", negated, NULL);
    statictramp_fn brain = statictramp_bind_memref(&closures[1], "bf16 -> bf16", negated, NULL);
    CHECK(_mlir_ciface_returned((void *)half, (void *)brain) == 1);
    CHECK(statictramp_free(half) == 0 && statictramp_free(brain) == 0);
}
#else /* LLVM passes them in different ways, or not at all; elements of a memref are passed like any others */
static void with_halves(void)
{
    static statictramp_memref_closure closure;
    const char *const by_value[] = {of_halves, "f16 ->", "-> bf16", "complex<f16> ->", "i64, bf16 -> i64"};
    for (size_t i = 0; i < sizeof by_value / sizeof *by_value; i++) {
        errno = 0;
        CHECK(!statictramp_bind_memref(&closure, by_value[i], crowd, NULL) && errno == EINVAL);
    }
    statictramp_fn elements = statictramp_bind_memref(&closure, "memref<?xf16>, memref<4xcomplex<bf16>> ->", crowd, NULL);
    CHECK(elements && statictramp_free(elements) == 0);
}
#endif

/* Numbers of each size, more of them than there are registers. Those below 8 bytes share their words with other
   data. */
typedef struct {
    int8_t a;
    int16_t b;
    int32_t c;
    int8_t d;
} parts;
typedef struct {
    float a;
    double b;
    float c;
    double d;
    float e;
    double f;
    float g;
    double h;
} eight;
void _mlir_ciface_cut(parts *, void *f, int64_t);
int64_t _mlir_ciface_byte(void *f, int64_t);
void _mlir_ciface_sixteen_floats(eight *, void *f, float, double);

static void cut(void *context, const void *const *arguments, void *results)
{
    int64_t x = *(int64_t *)context;
    for (int i = 0; i < 12; i += 4) {
        CHECK(*(const int8_t *)arguments[i] == (int8_t)x && *(const int16_t *)arguments[i + 1] == (int16_t)x);
        CHECK(*(const int32_t *)arguments[i + 2] == (int32_t)x && *(const int8_t *)arguments[i + 3] == (x & 1));
    }
    *(parts *)results = (parts){(int8_t)x, (int16_t)x, (int32_t)x, x & 1};
}
static void to_byte(void *context, const void *const *arguments, void *results)
{
    (void)context;
    *(int8_t *)results = (int8_t)*(const int64_t *)arguments[0];
}
static void sixteen_floats(void *context, const void *const *arguments, void *results)
{
    float x = *(float *)context;
    for (int i = 0; i < 16; i += 2) {
        CHECK(*(const float *)arguments[i] == (i == 2 || i == 8 || i == 14 ? x / 2 : x));
        CHECK(*(const double *)arguments[i + 1] == (double)x / 3);
    }
    *(eight *)results = (eight){x, 1, -x, 2, x / 2, 3, -x / 2, (double)x / 3};
}
static void with_numbers(void)
{
    static statictramp_memref_closure closures[3];
    int64_t x;
    float y;
    void *f = (void *)statictramp_bind_memref(&closures[0], "i8, i16, i32, i1, i8, i16, i32, i1, i8, i16, i32, i1 -> i8, i16, i32, i1", cut, &x);
    void *g = (void *)statictramp_bind_memref(&closures[1], "i64 -> i8", to_byte, NULL);
    void *h = (void *)statictramp_bind_memref(&closures[2],
        "f32, f64, f32, f64, f32, f64, f32, f64, f32, f64, f32, f64, f32, f64, f32, f64 -> f32, f64, f32, f64, f32, f64, f32, f64", sixteen_floats, &y);
    const int64_t all[] = {INT64_C(0x123456789abcdef0), -INT64_C(0x123456789abcdef1), INT64_MIN, 1, -1};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        parts r;
        x = all[i];
        _mlir_ciface_cut(&r, f, x);
        CHECK(r.a == (int8_t)x && r.b == (int16_t)x && r.c == (int32_t)x && r.d == (x & 1));
        CHECK(_mlir_ciface_byte(g, x) == (int8_t)x);
    }
    const float floats[] = {1.5f, -0.1f, 3e38f, 1e-40f, 0};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        eight r;
        y = floats[i];
        _mlir_ciface_sixteen_floats(&r, h, y, (double)y / 3);
        CHECK(r.a == y && r.b == 1 && r.c == -y && r.d == 2 && r.e == y / 2 && r.f == 3 && r.g == -y / 2 && r.h == (double)y / 3);
    }
    CHECK(statictramp_free((statictramp_fn)f) == 0 && statictramp_free((statictramp_fn)g) == 0 && statictramp_free((statictramp_fn)h) == 0);
}

static void swapped(void *context, const void *const *arguments, void *results)
{
    (void)context;
    ((float *)results)[0] = ((const float *)arguments[0])[1];
    ((float *)results)[1] = ((const float *)arguments[0])[0];
}
static void times(void *context, const void *const *arguments, void *results)
{
    *(int64_t *)results = *(int64_t *)context * *(const int64_t *)arguments[1];
}
static void fixed(void *context, const void *const *arguments, void *results)
{
    (void)context;
    const matrix *m = arguments[0];
    *(int64_t *)results = m->sizes[0] * 100 + m->sizes[1];
}

/* A call in which a size differs from that in the type. The program prints the reason and aborts. */
#ifdef _WIN32
static void ends_with(void *f, matrix *m, const char *wanted) { (void)f, (void)m, (void)wanted; }
#else
static void ends_with(void *f, matrix *m, const char *wanted)
{
    int to[2];
    CHECK(pipe(to) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        dup2(to[1], 2);
        _mlir_ciface_fixed(f, m);
        _exit(0);
    }
    close(to[1]);
    char message[200] = "";
    /* An emulator may add its own line. */
    CHECK(read(to[0], message, sizeof message - 1) > 0 && strncmp(message, wanted, strlen(wanted)) == 0);
    close(to[0]);
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
#endif

typedef struct {
    float a;
    double b;
    float c;
    double d;
    int64_t i;
} of_floats;
void _mlir_ciface_four_floats(of_floats *, void *f, float);
static void four_floats(void *context, const void *const *arguments, void *results)
{
    (void)context;
    float x = *(const float *)arguments[0];
    *(of_floats *)results = (of_floats){x, 2.0 * x, -x, 1e-300, 5};
}

#if defined __x86_64__ || defined __aarch64__
typedef struct {
    _Alignas(16) float a[4];
    double d;
    _Alignas(16) int64_t b[2];
    int64_t i;
} of_numbers;
typedef struct {
    _Alignas(16) float a[4];
    _Alignas(16) int32_t k[4];
    float x;
} first;
void _mlir_ciface_vectors(of_numbers *, void *f);
void _mlir_ciface_vectors_first(first *, void *f);

static void vectors(void *context, const void *const *arguments, void *results)
{
    (void)context;
    const float *a = arguments[0], *s = arguments[1];
    const int64_t *b = arguments[2], *i = arguments[3];
    for (int n = 0; n < 13; n++)
        CHECK((uintptr_t)arguments[n] % 16 == 0);
    CHECK(((const int8_t *)arguments[5])[15] == -16 && ((const int16_t *)arguments[6])[7] == 8 && ((const double *)arguments[7])[1] == -2.5);
    CHECK(((const uint16_t *)arguments[8])[7] == 0x3e00 && *(const float *)arguments[9] == 0.25f && ((const int32_t *)arguments[10])[3] == -40);
    CHECK(*(const int8_t *)arguments[11] == -9 && ((const uint16_t *)arguments[12])[7] == 0xc040);
    *(of_numbers *)results = (of_numbers){{*s * a[0], *s * a[1], *s * a[2], *s * a[3]}, *(const double *)arguments[4], {b[1], b[0]}, *i};
}
static void vectors_first(void *context, const void *const *arguments, void *results)
{
    (void)context;
    const float *a = arguments[0];
    *(first *)results = (first){{a[3], a[2], a[1], a[0]}, {1, 2, 3, -4}, 0.5f};
}
static void with_vectors(void)
{
    static statictramp_memref_closure closures[2];
    void *f = (void *)statictramp_bind_memref(&closures[0], "vector<4xf32>, f32, vector<2xi64>, i64, f64, vector<16xi8>, vector<8xi16>, vector<2xf64>, "
        "vector<8xf16>, f32, vector<4xi32>, i8, vector<8xbf16> -> vector<4xf32>, f64, vector<2xindex>, i64", vectors, NULL);
    of_numbers r;
    _mlir_ciface_vectors(&r, f);
    CHECK(r.a[0] == 0.5f && r.a[3] == 2 && r.d == 8.5 && r.b[0] == 6 && r.b[1] == -5 && r.i == 7);
    void *g = (void *)statictramp_bind_memref(&closures[1], "vector<4xf32> -> vector<4xf32>, vector<4xi32>, f32", vectors_first, NULL);
    first s;
    _mlir_ciface_vectors_first(&s, g);
    CHECK(s.a[0] == 4 && s.a[3] == 1 && s.k[0] == 1 && s.k[3] == -4 && s.x == 0.5f);
    CHECK(statictramp_free((statictramp_fn)f) == 0 && statictramp_free((statictramp_fn)g) == 0);
}
#else /* this processor has no registers for them, or has them only in some cases */
static void with_vectors(void)
{
    static statictramp_memref_closure closure;
    CHECK(!statictramp_bind_memref(&closure, "vector<4xf32> ->", fixed, NULL) && errno == EINVAL);
}
#endif

#ifdef _WIN32
/* Windows' unwinder finds main, behind the frames of the library and of MLIR's code. */
int main(void);
static void traced(void *context, const void *const *arguments, void *results)
{
    void *frames[62];
    (void)arguments;
    unsigned count = RtlCaptureStackBackTrace(0, 62, frames, NULL);
    for (unsigned i = 0; i < count; i++) {
        DWORD64 base;
        RUNTIME_FUNCTION *found = RtlLookupFunctionEntry((DWORD64)frames[i], &base, NULL);
        if (!found)
            break; /* the unwinder is lost, although it goes on */
        *(int *)context |= base + found->BeginAddress == (DWORD64)main;
    }
    *(int8_t *)results = 1;
}
#endif

static void *in_a_thread(void *unused)
{
    float number = 1;
    vector v = {&number, &number, 0, {1}, {1}};
    for (int64_t i = 0; i < 2000; i++) {
        statictramp_memref_closure closure;
        int64_t factor = i;
        void *f = (void *)statictramp_bind_memref(&closure, "(memref<?xf32>, i64) -> i64", times, &factor);
        CHECK(f && _mlir_ciface_recursive(f, &v, 9) == 45 * i);
        CHECK(statictramp_free((statictramp_fn)f) == 0);
    }
    return unused;
}

int main(void)
{
    float numbers[12] = {1, 2, 3}, nine = 9;
    double base = 100;
    vector v = {numbers, numbers, 0, {3}, {1}};
    matrix m = {numbers, numbers, 0, {3, 4}, {4, 1}};
    scalar s = {&nine, &nine, 0};
    statictramp_memref_closure closures[3];
    size_t live = statictramp_live();
#define BIND(number, signature, handler, context) (void *)statictramp_bind_memref(&closures[number], signature, handler, context)
    void *f = BIND(0, of_many, many, &base);
    three r3;
    _mlir_ciface_many(&r3, f, &v, &m, &s);
    CHECK(r3.m.sizes[0] == 4 && r3.m.sizes[1] == 3 && r3.m.strides[0] == 4 && r3.m.aligned == numbers);
    CHECK(r3.x == 1 + 9 + 1.5 - 7 + 0.25 + 100 && r3.n == -7);
    void *g = BIND(1, "memref < ? x\tf32>, i64 -> i64, f32", pair, NULL);
    two r2;
    _mlir_ciface_pair(&r2, g, &v, 14);
    CHECK(r2.n == 42 && r2.x == 0.25f);
    void *h = BIND(2, "(memref<*xf32>) -> (memref<*xf32>)", without_rank, NULL);
    matrix rm;
    _mlir_ciface_unranked(&rm, h, &m);
    CHECK(rm.sizes[0] == 1 && rm.sizes[1] == 4 && rm.aligned == numbers);
    with_crowd("f64,f32,f64,f32,f64,f32,f64,f32,f64,f32,i64,i8,complex<f32>,i16,i16,memref<?xf32> -> f64,i64,f32,complex<f64>,i16,i16",
        _mlir_ciface_crowd_of_integers);
    with_halves();
    with_numbers();
    statictramp_memref_closure of_complex, of_fixed;
    void *complex = (void *)statictramp_bind_memref(&of_complex, "complex<f32> -> complex<f32>", swapped, NULL);
    CHECK(_mlir_ciface_turned(complex) == 1);
    void *with_sizes = (void *)statictramp_bind_memref(&of_fixed, "memref<2x?xf32, strided<[8, 1], offset: 3>> -> i64", fixed, NULL);
    matrix sized = {numbers, numbers, 3, {2, 1}, {8, 1}};
    CHECK(_mlir_ciface_fixed(with_sizes, &sized) == 201);
    CHECK(statictramp_check_memref_sizes(2, &sized, (int64_t[]){2, INT64_MIN}) == STATICTRAMP_MEMREF_ERROR_NONE);
    sized.sizes[0] = 3;
    CHECK(statictramp_check_memref_sizes(2, &sized, (int64_t[]){2, INT64_MIN}) == STATICTRAMP_MEMREF_ERROR_SIZE);
    ends_with(with_sizes, &sized, "statictramp: in a call from MLIR code, dimension 0 of argument 1 has size 3, but its type requires 2\n");
    sized.sizes[0] = -2;
    ends_with(with_sizes, &sized, "statictramp: in a call from MLIR code, dimension 0 of argument 1 has size -2, but its type requires 2\n");
    sized.sizes[0] = 2, sized.sizes[1] = -1;
    ends_with(with_sizes, &sized, "statictramp: in a call from MLIR code, dimension 1 of argument 1 has a negative size\n");
    with_vectors();
    statictramp_memref_closure of_four;
    void *four = (void *)statictramp_bind_memref(&of_four, "f32 -> f32, f64, f32, f64, i64", four_floats, NULL);
    for (int i = 0; i < 9; i++) {
        of_floats r;
        _mlir_ciface_four_floats(&r, four, 1.5f);
        CHECK(r.a == 1.5f && r.b == 3 && r.c == -1.5f && r.d == 1e-300 && r.i == 5);
    }
    CHECK(statictramp_free((statictramp_fn)four) == 0);

#ifdef _WIN32
    int found_main = 0;
    statictramp_memref_closure of_traced;
    void *trace = (void *)statictramp_bind_memref(&of_traced, "i64 -> i8", traced, &found_main);
    CHECK(_mlir_ciface_byte(trace, 0) == 1 && found_main);
    CHECK(statictramp_free((statictramp_fn)trace) == 0);
    in_a_thread(NULL);
#else
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, in_a_thread, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
#endif

    void *all[] = {f, g, h, complex, with_sizes};
    for (int i = 0; i < 5; i++)
        CHECK(statictramp_free((statictramp_fn)all[i]) == 0);
    CHECK(statictramp_live() == live);

    const char *const invalid[] = {"", " ", "i64 i64", "(i64", "i64)", "i64 -> i65", "memref<> -> i64", "memref<?x -> i64", "memref<?x?> i64", "memref<*x?xf32> ->", "-> i64 i64",
        "-> (i64", "i64, -> i64", "complex<i32> ->", "complex<f32 ->", "memref<?x?x?x?x?x?x?x?x?xf32> ->", "vector<2xf32> ->", "vector<8xf32> ->",
        "vector<4x4xf32> ->", "vector<[4]xf32> ->", "vector<16xi1> ->", "vector<x4xf32> ->", "memref<99999999999999999999xf32> ->",
        "memref<1x1x1x1x1x1x1x1xf32>,memref<1x1x1x1x1x1x1x1xf32>,memref<1x1x1x1x1x1x1x1xf32>,memref<1x1x1x1x1x1x1x1xf32>,memref<1x1x1x1x1x1x1x1xf32>,memref<1xf32> ->",
        "i1,i1,i1,i1,i1,i1,i1,i1,i1,i1,i1,i1,i1,i1,i1,i1,i1 ->", "-> i1,i1,i1,i1,i1,i1,i1,i1,i1", "\xff -> i64", "memref<hello> ->", "memref<?,f32> ->",
        "memref<4x?> ->", "memref<?x*xf32> ->", "memref<? f32> ->"};
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        errno = 0;
        if (BIND(0, invalid[i], times, NULL) || errno != EINVAL) {
            fprintf(stderr, "\"%s\" is accepted\n", invalid[i]);
            return 1;
        }
    }
    const char *const right[] = {"->", "() -> ()", "()", "i64", "memref<?xf32>", " (memref<?xf32>, i64) ", " ( ) -> i1 ", "memref<4x4xf32, affine_map<(d0, d1) -> (d0 + d1)>, 3> -> !llvm.ptr", "index->index"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        void *made = BIND(0, right[i], times, NULL);
        if (!made || statictramp_free((statictramp_fn)made) != 0) {
            fprintf(stderr, "\"%s\" is refused\n", right[i]);
            return 1;
        }
    }
    CHECK(!statictramp_bind_memref(NULL, "->", times, NULL) && !BIND(0, NULL, times, NULL) && !BIND(0, "->", NULL, NULL));
    CHECK(!statictramp_bind_memref((void *)((char *)closures + 4), "->", times, NULL) && errno == EINVAL);
    return 0;
}
