/* Tests children of every thread and of every kind. A child of `fork` has its own copy of the stack that its thread
   runs on, so the slots of abandoned hosts are reclaimed in the child. A child that shares the memory (`vfork`,
   `clone`) reclaims nothing. No slot is claimed by both such a child and its parent, although both have the same thread
   pointer. */

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "runtime.h"

static void expect_success(int status) { CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0); }

static void expect_child(pid_t child)
{
    int status;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    expect_success(status);
}

/* Frames that are deeper than those that the library has recorded. */
static void expect_deep_ones_to_come_back(void)
{
    for (size_t depth = 4096; depth <= 256 << 10; depth *= 2)
        expect_left_to_come_back_from(depth);
}

static void in_children(int generations)
{
    pid_t child = fork();
    if (child == 0) {
        expect_deep_ones_to_come_back();
        expect_all_alive();
        if (generations > 1)
            in_children(generations - 1);
        _exit(0);
    }
    expect_child(child);
}

static void *fork_before_it_is_known(void *unused)
{
    in_children(2);
    return unused;
}

static void *fork_when_it_is_known(void *unused)
{
    expect_left_to_come_back();
    in_children(2);
    expect_deep_ones_to_come_back();
    return unused;
}

/* None of the child's abandoned slots are reclaimed, and neither errno nor a lock is the reason. */
static void expect_nothing_to_come_back(void)
{
    size_t before = statictramp_live();
    if (setjmp(out) == 0)
        leave_one_below(8192);
    fill_up();
    empty();
    CHECK(statictramp_live() == before + 1);
}

static void *with_vfork(void *unused)
{
    volatile long variable = 6;
    size_t before = statictramp_live();
    void *handle = init((void *)the_long, (void *)&variable);
    pid_t child = vfork();
    if (child == 0) {
        expect_nothing_to_come_back();
        _exit(0);
    }
    expect_child(child);
    CHECK(call(handle) == 6);
    _FortranATrampolineFree(handle);
    fill_up(); /* the child's slots below this frame */
    empty();
    CHECK(statictramp_live() == before);
    return unused;
}

static volatile int stage;
static int namespaces; /* flags for clone */

static int shares_memory(void *unused)
{
    (void)unused;
    while (stage != 1)
        sched_yield();
    expect_all_alive();
    stage = 2;
    return 0;
}

__attribute__((noinline)) static void host_while_it_runs(void)
{
    volatile long variable = 5;
    void *handle = init((void *)the_long, (void *)&variable);
    size_t before = statictramp_live();
    stage = 1;
    while (stage != 2)
        sched_yield();
    CHECK(statictramp_live() == before && call(handle) == 5);
    _FortranATrampolineFree(handle);
}

/* The child's stack is an array in this frame, and frames below it are still active. */
static void *with_clone(void *learn_first)
{
    char stack[64 * 1024] __attribute__((aligned(16)));
    if (learn_first)
        expect_left_to_come_back();
    stage = 0;
    pid_t child = clone(shares_memory, stack + sizeof stack, CLONE_VM | SIGCHLD | namespaces, NULL);
    host_while_it_runs();
    expect_child(child);
    return NULL;
}

/* Makes, calls and frees a trampoline for each callee, so that the library reuses slots that this process or the other
   has just freed. If both processes had the same slot, a call would receive the other's chain, or a free would fail. */
static void use_slots(int times)
{
    for (long i = 0; i < times; i++) {
        statictramp_fn plain = statictramp_alloc(FN(the_chain), &i);
        void *handle = init((void *)the_long, &i);
        CHECK(plain && ((void *(*)(void))plain)() == &i && call(handle) == i);
        CHECK(statictramp_free(plain) == 0);
        _FortranATrampolineFree(handle);
    }
}

static void *thread_local_word;

static int uses_slots(void *unused)
{
    (void)unused;
    CHECK(&out == thread_local_word);
    use_slots(5000000);
    return 0;
}

/* Unlike a child of `vfork`, this child runs at the same time as its parent. An unlocked exchange is noticed in most runs
   on two processors, and never on one. */
static void *with_twin(void *unused)
{
    char stack[64 * 1024] __attribute__((aligned(16)));
    size_t before = statictramp_live();
    thread_local_word = &out;
    pid_t child = clone(uses_slots, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL), ended = 0;
    int status;
    CHECK(child > 0);
    while (ended == 0) { /* also if the child fails */
        use_slots(100);
        ended = waitpid(child, &status, WNOHANG);
    }
    CHECK(ended == child);
    expect_success(status);
    CHECK(statictramp_live() == before);
    return unused;
}

static void in_a_thread(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    pthread_attr_t attributes; /* musl's stacks are small */
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, 1 << 20) == 0);
    CHECK(pthread_create(&thread, &attributes, function, argument) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

/* Process 1 of a PID namespace, and a child that shares its memory as process 1 of another namespace. */
static void as_process_1(void)
{
    CHECK(getpid() == 1);
    namespaces = CLONE_NEWPID;
    with_clone(NULL);
    with_clone("");
    expect_left_to_come_back();
}

/* `children [emulated|process-1]`: an emulator does not support children that share memory. */
int main(int argc, char **argv)
{
    alarm(100); /* a child that fails in shared memory leaves its parent waiting */
    statictramp_set_limit(statictramp_capacity());
    if (argc > 1 && strcmp(argv[1], "process-1") == 0)
        as_process_1();
    in_children(2);
    fork_when_it_is_known(NULL);
    in_a_thread(fork_before_it_is_known, NULL);
    in_a_thread(fork_when_it_is_known, NULL);
    if (argc == 1) {
        with_clone(NULL);
        with_clone("");
        in_a_thread(with_clone, NULL);
        in_a_thread(with_clone, "");
        with_vfork(NULL);
        in_a_thread(with_vfork, NULL);
        with_twin(NULL);
        in_a_thread(with_twin, NULL);
    }
    puts("children.c: ok");
    return 0;
}
