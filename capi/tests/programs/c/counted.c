/* Counts the instructions of the fast paths, for a slot at the top of its callee's list: those that make, call and free a
   trampoline through each of three interfaces, and those that make one for a simple signature. For a simple signature,
   statictramp_bind_types takes a few instructions per parameter more than statictramp_bind_first: it must not walk over the
   arguments. STATICTRAMP_BIND calls statictramp_bind_first for up to three parameters that are words. Runs on
   x86-64, whose trap flag stops the program after each instruction. MORE is the number of instructions that calls
   between shared libraries may add. With -DDLOPENED, the program loads the library named on the command line, and
   counts only the instructions of the first kind. */

#define _GNU_SOURCE
#include <signal.h>

#include "../../../../tests/common/check.h"
#include "entry_points.h"
#include "statictramp.h"

#ifndef MORE
#define MORE 0
#endif

static volatile long instructions;

static void on_trap(int signal)
{
    (void)signal;
    instructions++;
}

/* Executes statements three times, and sets `taken` to the number of instructions executed the third time, when
   the slot is on the list. */
#define COUNT(taken, ...) \
    do { \
        for (int time = 0; time < 3; time++) { \
            instructions = 0, last_made = NULL; \
            __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc"); \
            __VA_ARGS__; \
            __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc"); \
            (taken) = instructions; \
            FREE_LAST; \
        } \
    } while (0)

#ifdef DLOPENED
#define FREE_LAST (void)0
#else
#define FREE_LAST CHECK(!last_made || statictramp_free(last_made) == 0)
#endif

/* The trampoline that the counted statements have made and not freed, or NULL. */
static statictramp_fn last_made;

static void callee(void) {}

/* Fails if an interface takes more instructions than this to make, call and free a trampoline. */
static void most(const char *interface, long taken, long limit)
{
    printf("%s: %ld instructions, at most %ld\n", interface, taken, limit);
    CHECK(taken > 50 && taken <= limit + MORE);
}

static void make_call_free(void)
{
    static int context;
    statictramp_fn f;
    void *handle;
    long empty, taken;
    FUNCTION(statictramp_alloc);
    FUNCTION(statictramp_free);
    FUNCTION(_FortranATrampolineInit);
    FUNCTION(_FortranATrampolineAdjust);
    FUNCTION(_FortranATrampolineFree);
    FUNCTION(__gcc_nested_func_ptr_created);
    FUNCTION(__gcc_nested_func_ptr_deleted);
    COUNT(empty, (void)0);
    COUNT(taken, f = statictramp_alloc_(callee, &context), f(), statictramp_free_(f));
    most("statictramp_alloc, a call, statictramp_free", taken - empty, 95);
    COUNT(taken, handle = _FortranATrampolineInit_(NULL, (void *)callee, &context), FN(_FortranATrampolineAdjust_(handle))(),
          _FortranATrampolineFree_(handle));
    most("flang's interface", taken - empty, 115);
    COUNT(taken, __gcc_nested_func_ptr_created_(&context, (void *)callee, &f), f(), __gcc_nested_func_ptr_deleted_());
    most("GCC's interface", taken - empty, 143);
}

#ifdef DLOPENED
int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_trap};
    CHECK(argc == 2 && sigaction(SIGTRAP, &action, NULL) == 0);
    CHECK((library = dlopen(argv[1], RTLD_NOW)) != NULL);
    make_call_free();
    return 0;
}
#else

/* Fails if the number of instructions exceeds that of statictramp_bind_first by more than a signature may cost. */
static void limit(const char *signature, long first, long made, long parameters)
{
    printf("%s: %ld instructions, statictramp_bind_first: %ld\n", signature, made, first);
    CHECK(made <= first + 40 + 10 * parameters);
}

/* The cost of GCC's interface does not depend on the number of hosts that were abandoned at the same stack pointer.
   AddressSanitizer gives each of them another chain, because it moves variables to the heap. */
static void abandoned_at_one_address(void)
{
    enum { FEW = 1600, MANY = 12800 }; /* both exceed the table in the program's file */
    static long contexts[MANY];
    static const int made[] = {FEW, MANY};
    long taken[2][2];
    void *f;
    for (int i = 0, next = 0; i < 2; i++) {
        for (; next < made[i]; next++)
            __gcc_nested_func_ptr_created(&contexts[next], (void *)callee, &f);
        COUNT(taken[i][0], __gcc_nested_func_ptr_created(&contexts[made[i] - 40], (void *)callee, &f));
        COUNT(taken[i][1], __gcc_nested_func_ptr_created(&taken[i], (void *)callee, &f), __gcc_nested_func_ptr_deleted());
        printf("beside %d abandoned hosts: %ld instructions for the chain of one of them, %ld for another chain\n", made[i],
               taken[i][0], taken[i][1]);
    }
    CHECK(taken[1][0] <= taken[0][0] + 100 && taken[1][1] <= taken[0][1] + 100);
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_trap};
    int context;
    long first, made;
    statictramp_type last[3] = {{STATICTRAMP_KIND_POINTER, NULL}, {STATICTRAMP_KIND_DOUBLE, NULL}, {STATICTRAMP_KIND_INT32, NULL}};
    CHECK(sigaction(SIGTRAP, &action, NULL) == 0);
    make_call_free();
    abandoned_at_one_address();
    COUNT(first, last_made = statictramp_bind_first(callee, &context, 2));
    CHECK(first > 20);
    COUNT(made, last_made = STATICTRAMP_BIND((void (*)(int *))callee, &context, void));
    CHECK(made <= first);
    COUNT(made, last_made = STATICTRAMP_BIND((int (*)(int *, const char *, const char *))callee, &context, int, const char *, const char *));
    CHECK(made <= first);
    COUNT(made, last_made = STATICTRAMP_BIND((double (*)(int *, double, int, float))callee, &context, double, double, int, float));
    limit("double(double, int, float)", first, made, 3);
    COUNT(made, last_made = STATICTRAMP_BIND((long (*)(int *, char, short, int, long, _Bool))callee, &context, long, char, short, int, long, _Bool));
    limit("long(char, short, int, long, _Bool)", first, made, 5);
    COUNT(made, last_made = statictramp_bind_types_last(callee, &context, NULL, last, 3));
    limit("void(void *, double, int), context last", first, made, 3);
    return 0;
}
#endif
