/* The library is loaded and unloaded, threads have small stacks, and freed trampolines are called from every kind
   of code. `life LIBRARY` loads the shared library LIBRARY. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../../tests/common/check.h"
#include "statictramp.h"

static __typeof__(statictramp_alloc) *alloc;
static __typeof__(statictramp_free) *release;
static __typeof__(statictramp_live) *live;
static __typeof__(statictramp_capacity) *capacity;
static __typeof__(statictramp_on_dead_call) *on_dead_call;

static void *library(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        fprintf(stderr, "%s\n", dlerror());
    CHECK(handle);
    alloc = (__typeof__(alloc))dlsym(handle, "statictramp_alloc");
    release = (__typeof__(release))dlsym(handle, "statictramp_free");
    live = (__typeof__(live))dlsym(handle, "statictramp_live");
    capacity = (__typeof__(capacity))dlsym(handle, "statictramp_capacity");
    on_dead_call = (__typeof__(on_dead_call))dlsym(handle, "statictramp_on_dead_call");
    return handle;
}

/* A closed library stays loaded while it has live trampolines. A library that is opened again is the same library. */
static void test_close(const char *path)
{
    void *handle = library(path);
    int context;
    statictramp_fn kept = alloc(FN(the_chain), &context);
    for (int i = 0; i < 10; i++) {
        CHECK(dlclose(handle) == 0);
        CHECK(((void *(*)(void))kept)() == &context);
        handle = library(path);
    }
    CHECK(live() == 1 && release(kept) == 0);
}

/* A stack of 16 KiB is sufficient for claims, growth and the diagnosis of a call after free. */
static void *small(void *unused)
{
    enum { COUNT = 3000 };
    static statictramp_fn all[COUNT];
    (void)unused;
    for (int i = 0; i < COUNT; i++)
        CHECK((all[i] = alloc(FN(the_chain), all + i)));
    for (int i = 0; i < COUNT; i++)
        CHECK(((void *(*)(void))all[i])() == all + i && release(all[i]) == 0);
    return NULL;
}

static void *call_dead(void *f)
{
    ((void (*)(void))f)();
    return NULL;
}

static void in_small_thread(void *(*f)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
#ifdef SANITIZED
    CHECK(pthread_attr_setstacksize(&attributes, 65536) == 0); /* the sanitizer's own frames are large */
#else
    CHECK(pthread_attr_setstacksize(&attributes, 16384) == 0);
#endif
    CHECK(pthread_create(&thread, &attributes, f, argument) == 0);
    pthread_join(thread, NULL);
}

static void test_small_stacks(void)
{
    size_t before = capacity();
    in_small_thread(small, NULL);
    CHECK(capacity() > before && live() == 0);

    statictramp_fn dead = alloc(FN(the_chain), NULL);
    CHECK(release(dead) == 0);
    int ends[2], status;
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        in_small_thread(call_dead, (void *)dead);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    char text[600] = "";
    CHECK(read(ends[0], text, sizeof text - 1) > 0);
    CHECK(strncmp(text, "statictramp: call through a freed trampoline: slot ", 51) == 0);
    CHECK(strstr(text, "former callee 0x") && strstr(text, "(the_chain)"));
    fputs(text, stdout);
}

/* Several threads make calls after free. Each call is caught before the slot is reused. */
enum { THREADS = 4, CALLS = 2500 };
static __thread sigjmp_buf back;
static __thread volatile int caught;
static atomic_int all_caught;
static __thread void *volatile expected;

static void on_dead(size_t slot, statictramp_fn late)
{
    CHECK(slot < capacity() && (void *)late == expected);
    caught++;
    siglongjmp(back, 1);
}

static void *dangle(void *unused)
{
    (void)unused;
    for (volatile int i = 0; i < CALLS; i++) {
        void *callee = i % 2 ? (void *)the_chain : (void *)the_long;
        long context = 1;
        statictramp_fn f = alloc(FN(callee), &context);
        CHECK(release(f) == 0);
        expected = callee;
        if (sigsetjmp(back, 0) == 0)
            ((void (*)(void))f)();
    }
    all_caught += caught;
    return NULL;
}

static void test_dangling_calls(void)
{
    pthread_t threads[THREADS];
    on_dead_call(on_dead);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, dangle, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    on_dead_call(NULL);
    printf("%d of %d dangling calls caught\n", all_caught, THREADS * CALLS);
    CHECK(all_caught == THREADS * CALLS && live() == 0);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    test_close(argv[1]);
    test_small_stacks();
    test_dangling_calls();
    puts("generations.c: ok");
    return 0;
}
