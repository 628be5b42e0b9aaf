/* Counts the instructions that make a trampoline whose slot is at the top of its callee's list. With a simple signature,
   statictramp_bind_types takes a few instructions per parameter more than statictramp_bind_first: it must not walk over the
   arguments. For x86-64, whose trap flag stops the program after each instruction. */

#define _GNU_SOURCE
#include <signal.h>

#include "check.h"
#include "statictramp.h"

static volatile long instructions;

static void on_trap(int signal)
{
    (void)signal;
    instructions++;
}

/* Evaluates an expression that makes a trampoline, and sets `made` to the number of instructions. At the third time, the slot is
   on the list. */
#define COUNT(made, expression) \
    do { \
        for (int time = 0; time < 3; time++) { \
            instructions = 0; \
            __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc"); \
            statictramp_fn f = (expression); \
            __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc"); \
            (made) = instructions; \
            CHECK(statictramp_free(f) == 0); \
        } \
    } while (0)

static void callee(void) {}

/* Fails if the number of instructions exceeds that of statictramp_bind_first by more than a signature may cost. */
static void limit(const char *signature, long first, long made, long parameters)
{
    printf("%s: %ld instructions, statictramp_bind_first: %ld\n", signature, made, first);
    CHECK(made <= first + 40 + 10 * parameters);
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_trap};
    int context;
    long first, made;
    statictramp_type last[3] = {{STATICTRAMP_KIND_POINTER, NULL}, {STATICTRAMP_KIND_DOUBLE, NULL}, {STATICTRAMP_KIND_INT32, NULL}};
    CHECK(sigaction(SIGTRAP, &action, NULL) == 0);
    COUNT(first, statictramp_bind_first(callee, &context, 2));
    CHECK(first > 20);
    COUNT(made, STATICTRAMP_BIND(callee, &context, void));
    limit("void(void)", first, made, 0);
    COUNT(made, STATICTRAMP_BIND(callee, &context, int, const char *, const char *));
    limit("int(const char *, const char *)", first, made, 2);
    COUNT(made, STATICTRAMP_BIND(callee, &context, double, double, int, float));
    limit("double(double, int, float)", first, made, 3);
    COUNT(made, STATICTRAMP_BIND(callee, &context, long, char, short, int, long, _Bool));
    limit("long(char, short, int, long, _Bool)", first, made, 5);
    COUNT(made, statictramp_bind_types_last(callee, &context, NULL, last, 3));
    limit("void(void *, double, int), context last", first, made, 3);
    return 0;
}
