/* On 32-bit x86, the unwinder finds the caller at each instruction of a stub, of an adapter and of a raw closure's
   entry. The processor traps after each instruction, and the handler unwinds. */

#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <ucontext.h>
#include <unwind.h>

#include "../../common/check.h"
#include "statictramp.h"

struct big { long a[5]; };
enum { TRAP_FLAG = 0x100 };

/* This is in a separate section, whose bounds the linker defines. */
extern const char __start_the_caller[], __stop_the_caller[];
#define THE_CALLER __attribute__((noinline, section("the_caller")))

static volatile sig_atomic_t steps, lost;
static uintptr_t stubs, last_lost;

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *found)
{
    uintptr_t ip = _Unwind_GetIP(context);
    *(int *)found |= ip >= (uintptr_t)__start_the_caller && ip <= (uintptr_t)__stop_the_caller;
    return _URC_NO_REASON;
}

static void on_step(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    int found = 0;
    _Unwind_Backtrace(look, &found);
    steps++;
    if (!found) {
        lost++;
        last_lost = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_EIP];
    }
}

#define STEP __asm__ volatile("pushfl\norl %0, (%%esp)\npopfl" ::"i"(TRAP_FLAG) : "memory", "cc")
#define STEP_NO_MORE __asm__ volatile("pushfl\nandl %0, (%%esp)\npopfl" ::"i"(~TRAP_FLAG) : "memory", "cc")

static long add(long *context, long x) { return *context + x; }
static struct big make(long *context, long x) { return (struct big){{*context, x, 0, 0, 9}}; }
static void walk(void *context, statictramp_raw_call *call)
{
    long x = 0;
    double result = (double)*(long *)context;
    statictramp_raw_next(call, LONG_KIND, &x);
    result += (double)x;
    statictramp_raw_return(call, STATICTRAMP_KIND_DOUBLE, &result);
}

THE_CALLER static long call(statictramp_fn f, long *unused, long x)
{
    STEP;
    long result = ((long (*)(long *, long))f)(unused, x);
    STEP_NO_MORE;
    return result;
}
THE_CALLER static long call_first(statictramp_fn f, long x)
{
    STEP;
    long result = ((long (*)(long))f)(x);
    STEP_NO_MORE;
    return result;
}
THE_CALLER static struct big call_big(statictramp_fn f, long x)
{
    STEP;
    struct big result = ((struct big(*)(long))f)(x);
    STEP_NO_MORE;
    return result;
}
THE_CALLER static double call_double(statictramp_fn f, long x)
{
    STEP;
    double result = ((double (*)(long))f)(x);
    STEP_NO_MORE;
    return result;
}

static void ended(const char *what)
{
    printf("%s: %d steps\n", what, (int)steps);
    if (lost != 0)
        fprintf(stderr, "%s: %d times nobody was found, last at %#lx; the stub is at %#lx\n", what, (int)lost, (long)last_lost, (long)stubs);
    CHECK(lost == 0 && steps > 5);
    steps = 0;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGTRAP, &action, NULL) == 0);
    long context = 40;
    statictramp_fn f = statictramp_bind(FN(add), &context, 0);
    stubs = (uintptr_t)f;
    CHECK(call(f, NULL, 2) == 42);
    ended("statictramp_bind");
    f = statictramp_bind_first(FN(add), &context, 1);
    CHECK(call_first(f, 2) == 42);
    ended("statictramp_bind_first");
    f = statictramp_bind_first(FN(make), &context, 1 | STATICTRAMP_RESULT_IN_MEMORY);
    struct big big = call_big(f, 2);
    CHECK(big.a[0] == 40 && big.a[1] == 2 && big.a[4] == 9);
    ended("the same of a struct");
    f = statictramp_bind_raw(walk, &context);
    CHECK(call_double(f, 2) == 42);
    ended("statictramp_bind_raw");
    return 0;
}
