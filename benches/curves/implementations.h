/* One interface to the implementations of function pointers with a context, selected by macros:
     STATICTRAMP  libstatictramp
     COMPILED     the functions that code compiled by flang calls: flang 23's pool, or the implementation linked in place of it
     NESTED       the functions that code compiled by GCC calls: libgcc's heap; only the newest trampoline can be freed
     LIBFFI       libffi's closures
     MALLOC       malloc and free, a lower bound: the result cannot be called, so calls go to a fixed function
     none         no implementation: the costs of the program itself */

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALLEES 1024
#define OPAQUE(x) __asm__ volatile("" : "+r"(x))

typedef long (*bound)(long);

struct made {
    bound call;
    void *handle;
};

static long context = 3;

/* Callees that take their context in the static-chain register, 16 bytes each. */
extern const char callees[];
__asm__(".pushsection .text\n.p2align 6\ncallees:\n"
        ".rept 1024\n.p2align 4, 0xcc\nendbr64\nmov (%r10), %rax\nadd %rdi, %rax\nret\n.endr\n"
        ".popsection");

static inline void *callee(size_t number) { return (void *)(uintptr_t)(callees + 16 * number); }

static __attribute__((noreturn, noinline, cold, unused)) void no_more(void)
{
    fputs("no more can be made\n", stderr);
    exit(1);
}

#if defined STATICTRAMP
#include "statictramp.h"
static inline struct made make_with(size_t number, long *own)
{
    statictramp_fn f = statictramp_alloc((statictramp_fn)callee(number), own);
    if (!f)
        no_more();
    return (struct made){(bound)f, (void *)f};
}
static inline void end(struct made it) { statictramp_free((statictramp_fn)it.handle); }
#elif defined COMPILED
void *_FortranATrampolineInit(void *scratch, const void *callee, const void *chain);
void *_FortranATrampolineAdjust(void *handle);
void _FortranATrampolineFree(void *handle);
static inline struct made make_with(size_t number, long *own)
{
    void *handle = _FortranATrampolineInit(NULL, callee(number), own);
    return (struct made){(bound)(uintptr_t)_FortranATrampolineAdjust(handle), handle};
}
static inline void end(struct made it) { _FortranATrampolineFree(it.handle); }
#elif defined NESTED
void __gcc_nested_func_ptr_created(void *chain, void *callee, void *address);
void __gcc_nested_func_ptr_deleted(void);
static inline struct made make_with(size_t number, long *own)
{
    void *f;
    __gcc_nested_func_ptr_created(own, callee(number), &f);
    return (struct made){(bound)(uintptr_t)f, f};
}
static inline void end(struct made it)
{
    (void)it;
    __gcc_nested_func_ptr_deleted();
}
#elif defined LIBFFI
#include <ffi.h>
static ffi_cif one_long;
static ffi_type *types_of_one_long[] = {&ffi_type_slong};
static void prepare(void) __attribute__((constructor));
static void prepare(void)
{
    if (ffi_prep_cif(&one_long, FFI_DEFAULT_ABI, 1, &ffi_type_slong, types_of_one_long) != FFI_OK)
        exit(1);
}
#define HANDLER(n) \
    static void handler_##n(ffi_cif *t, void *result, void **arguments, void *data) \
    { \
        (void)t; \
        *(ffi_sarg *)result = *(long *)arguments[0] + *(long *)data; \
    }
#define EIGHT(x, n) x(n##0) x(n##1) x(n##2) x(n##3) x(n##4) x(n##5) x(n##6) x(n##7)
#define ALL(x) EIGHT(x, 0) EIGHT(x, 1) EIGHT(x, 2) EIGHT(x, 3) EIGHT(x, 4) EIGHT(x, 5) EIGHT(x, 6) EIGHT(x, 7)
ALL(HANDLER)
#define NAME(n) handler_##n,
static void (*const handlers[64])(ffi_cif *, void *, void **, void *) = {ALL(NAME)};
static inline struct made make_with(size_t number, long *own)
{
    void *code;
    ffi_closure *closure = ffi_closure_alloc(sizeof *closure, &code);
    if (!closure || ffi_prep_closure_loc(closure, &one_long, handlers[number % 64], own, code) != FFI_OK)
        no_more();
    return (struct made){(bound)(uintptr_t)code, closure};
}
static inline void end(struct made it) { ffi_closure_free(it.handle); }
#elif defined MALLOC
static long nothing(long x) { return x; }
static inline struct made make_with(size_t number, long *own)
{
    void **address = malloc(32);
    if (!address)
        no_more();
    address[0] = callee(number);
    address[1] = own;
    return (struct made){nothing, address};
}
static inline void end(struct made it) { free(it.handle); }
#else
static long nothing(long x) { return x; }
static inline struct made make_with(size_t number, long *own)
{
    (void)number, (void)own;
    return (struct made){nothing, NULL};
}
static inline void end(struct made it) { (void)it; }
#endif

static inline struct made make(size_t number) { return make_with(number, &context); }

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
