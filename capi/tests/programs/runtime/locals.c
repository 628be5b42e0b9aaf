/* Tests a coroutine whose stack is a thread-local array, which glibc places in the same block as the thread's
   stack. The hosts on the thread's own stack stay active, whatever the coroutine creates, deletes or reclaims. */

#include <pthread.h>
#include <ucontext.h>

#include "runtime.h"

void __gcc_nested_func_ptr_created(void *chain, const void *function, void **destination);
void __gcc_nested_func_ptr_deleted(void);

static _Thread_local char stack[64 * 1024] __attribute__((aligned(64)));
static _Thread_local ucontext_t thread, coroutine;

static void host_by_gcc(void)
{
    volatile long variable = 7;
    void *trampoline;
    __gcc_nested_func_ptr_created((void *)&variable, (void *)the_long, &trampoline);
    CHECK(((long (*)(void))trampoline)() == 7);
    __gcc_nested_func_ptr_deleted();
}

static void in_coroutine(void)
{
    host_by_gcc();
    expect_all_alive();
}

/* Hosts of both compilers are active while the coroutine runs. */
static void *hosts(void *learn_first)
{
    volatile long variable = 40, other = 41;
    void *trampoline, *handle;
    if (learn_first)
        expect_left_to_come_back();
    __gcc_nested_func_ptr_created((void *)&variable, (void *)the_long, &trampoline);
    handle = init((void *)the_long, (void *)&other);
    CHECK(getcontext(&coroutine) == 0);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = sizeof stack;
    coroutine.uc_link = &thread;
    makecontext(&coroutine, in_coroutine, 0);
    CHECK(swapcontext(&thread, &coroutine) == 0);
    CHECK(statictramp_live() == 2);
    CHECK(((long (*)(void))trampoline)() == 40 && call(handle) == 41);
    _FortranATrampolineFree(handle);
    __gcc_nested_func_ptr_deleted();
    expect_left_to_come_back();
    CHECK(statictramp_live() == 0);
    return NULL;
}

static void in_a_thread(void *learn_first)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, hosts, learn_first) == 0 && pthread_join(thread, NULL) == 0);
}

int main(void)
{
    statictramp_set_limit(statictramp_capacity());
    hosts(NULL);
    in_a_thread(NULL);
    in_a_thread("");
    puts("locals.c: ok");
    return 0;
}
