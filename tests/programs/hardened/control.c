/* Makes a function pointer from a closure with other implementations. Each is called once, prints "called: 42"
   and exits 0.

   -DFFI: libffi, linked in whatever form it was built. -DNESTED: a GCC nested function, with whatever trampoline
   its flags select. -DOURS: this library. */

#include <stdio.h>

static long apply(long (*f)(long), long x)
{
    __asm__ volatile("" : "+r"(f));
    return f(x);
}

#if defined FFI
#include <ffi.h>

static void add(ffi_cif *types, void *result, void **arguments, void *data)
{
    (void)types;
    *(ffi_sarg *)result = *(long *)arguments[0] + *(long *)data;
}

static long made(void)
{
    static ffi_cif cif;
    static ffi_type *types[] = {&ffi_type_slong};
    static long context = 41;
    void *address;
    if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, 1, &ffi_type_slong, types) != FFI_OK)
        return -1;
    ffi_closure *closure = ffi_closure_alloc(sizeof *closure, &address);
    if (closure == NULL || ffi_prep_closure_loc(closure, &cif, add, &context, address) != FFI_OK)
        return -1;
    return apply((long (*)(long))address, 1);
}
#elif defined OURS
#include "statictramp.h"

static long add(long x, long context) { return x + context; }

static long made(void)
{
    statictramp_fn f = statictramp_bind((statictramp_fn)add, (void *)41, 1);
    return f == NULL ? -1 : apply((long (*)(long))f, 1);
}
#elif defined NESTED
static long made(void)
{
    volatile long y = 41;
    long nested(long x) { return x + y; }
    return apply(nested, 1);
}
#endif

int main(void)
{
    const long result = made();
    printf("called: %ld\n", result);
    return result != 42;
}
