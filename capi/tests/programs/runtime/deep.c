/* One frame on the first thread is larger than the part of the stack that existed when the library read the stack's
   bounds. Trampolines that are created and deleted below that frame must not be treated as those of a fiber. The
   stack limit must be above 600 MB. Each creation and deletion is a call from a separate function. */

#include "runtime.h"

void __gcc_nested_func_ptr_created(void *chain, const void *function, void **destination);
void __gcc_nested_func_ptr_deleted(void);

__attribute__((noinline)) static void *make(volatile long *variable)
{
    volatile char room[512];
    void *trampoline;
    room[0] = 0;
    __gcc_nested_func_ptr_created((void *)variable, (void *)the_long, &trampoline);
    return trampoline;
}

__attribute__((noinline)) static void delete(void)
{
    __gcc_nested_func_ptr_deleted();
    __asm__ volatile("");
}

__attribute__((noinline)) static void pair(void)
{
    volatile long variable = 3;
    void *trampoline = make(&variable);
    CHECK(((long (*)(void))trampoline)() == 3);
    delete();
    CHECK(statictramp_lookup(FN(trampoline), NULL, NULL) != 1);
}

__attribute__((noinline)) static void below(size_t bytes)
{
    volatile char *room = __builtin_alloca(bytes);
    room[0] = 0;
    pair();
}

int main(void)
{
    volatile long variable = 2;
    void *trampoline = make(&variable);
    pair(); /* from here on the bounds are known */
    for (size_t mega = 1; mega <= 512; mega *= 2) {
        below(mega << 20);
        CHECK(statictramp_live() == 1 && ((long (*)(void))trampoline)() == 2);
    }
    delete();
    CHECK(statictramp_live() == 0);
    puts("deep.c: ok");
    return 0;
}
