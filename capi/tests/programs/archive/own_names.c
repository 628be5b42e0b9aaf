/* A program that defines functions under all names that the archive imports from libc and that ISO C leaves to
   programs. OWN_NAMES has a line FUNCTION(name) for each of them. The table grows, and slots of abandoned hosts are
   reclaimed, on the first thread and, with the argument `threads`, on another thread. (With `kept`, these slots
   need not be reclaimed there.) With `foreign` and `late`, a message is printed. The functions of the program with these names
   are never called. */

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "statictramp.h"

static void called(const char *name)
{
    fprintf(stderr, "the program's own %s was called\n", name);
    _Exit(3);
}

#define FUNCTION(name) \
    int name(void); \
    int name(void) { called(#name); return 0; }
#include OWN_NAMES

void *_FortranATrampolineInit(void *, void *, void *), *_FortranATrampolineAdjust(void *);
void _FortranATrampolineFree(void *);
void __gcc_nested_func_ptr_created(void *, void *, void **), __gcc_nested_func_ptr_deleted(void);
#ifdef DEVICES
void __tgt_rtl_set_function_ptr_map(int, unsigned long long, const void *);
void *__kmpc_target_translate_fptr(void *);
#endif

static void check(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "own_names.c: %s\n", what);
        _Exit(1);
    }
}

static long callee(void) { return 42; }
static jmp_buf out;

/* A host in code compiled by flang or GCC, which is abandoned without freeing its trampolines. */
static void __attribute__((noinline)) leave(int gcc)
{
    char frame[64];
    void *trampoline;
    if (gcc)
        __gcc_nested_func_ptr_created(frame, (void *)callee, &trampoline);
    else
        trampoline = _FortranATrampolineAdjust(_FortranATrampolineInit(0, (void *)callee, frame));
    check(((long (*)(void))trampoline)() == 42, "a host's trampoline calls something else");
    longjmp(out, 1);
}

/* Does the same further down the stack. */
static void __attribute__((noinline)) leave_below(int gcc, int depth)
{
    volatile char room[512];
    room[0] = 0;
    if (depth > 0)
        leave_below(gcc, depth - 1);
    leave(gcc);
    room[1] = 0;
}

static void leave_many(int gcc, size_t count)
{
    for (volatile size_t i = 0; i < count; i++)
        if (!setjmp(out))
            leave_below(gcc, 3 - i % 4);
}

static int on_a_thread(void *unused)
{
    size_t before = statictramp_live();
    (void)unused;
    leave_many(1, 1000);
    return (int)(statictramp_live() - before);
}

int main(int count, char **words)
{
    size_t some = statictramp_capacity() + 1;
    statictramp_fn *all = malloc(some * sizeof *all);
    for (size_t i = 0; i < some; i++)
        check((all[i] = statictramp_alloc((statictramp_fn)callee, all + i)) && ((long (*)(void))all[i])() == 42, "the table does not grow");
    check(statictramp_capacity() > some, "the table has not grown");
    check(statictramp_alloc(NULL, NULL) == NULL, "NULL has a trampoline");
#ifdef DEVICES
    static const unsigned long long table[][2] = {{1, (unsigned long)callee}};
    __tgt_rtl_set_function_ptr_map(0, 1, table);
    check(__kmpc_target_translate_fptr((void *)1) == (void *)callee, "a device's function is not found");
    check(__kmpc_target_translate_fptr((void *)callee) == (void *)callee, "a device's function is no longer itself");
#endif
    for (size_t i = 1; i < some; i++)
        check(statictramp_free(all[i]) == 0, "cannot free");
    statictramp_set_limit(statictramp_capacity());
    for (int gcc = 0; gcc < 2; gcc++)
        leave_many(gcc, 2 * statictramp_capacity());
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "threads") == 0 || strcmp(words[i], "kept") == 0) {
            thrd_t thread;
            int left = 1000;
            check(thrd_create(&thread, on_a_thread, NULL) == thrd_success && thrd_join(thread, &left) == thrd_success, "no thread");
            check(left < 8 || *words[i] == 'k', "a thread's hosts are not reclaimed");
        } else if (strcmp(words[i], "foreign") == 0) {
            _FortranATrampolineFree((void *)callee);
        } else if (strcmp(words[i], "late") == 0) {
            statictramp_free(all[0]);
            ((long (*)(void))all[0])();
        }
    }
    puts("none of the program's own functions was called");
    return 0;
}
