/* A thread with a pending cancellation creates trampolines. It must not be cancelled in the library, which opens
   and reads files. Then trampolines are created while the thread ends, and while the process ends. */

#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#include "runtime.h"

static volatile size_t made;

static int ended;

void __asan_handle_no_return(void) __attribute__((weak));

static void when_it_ends(void *value)
{
    statictramp_set_limit(statictramp_capacity());
    if (__asan_handle_no_return) /* otherwise the variables of cancelled functions count as alive */
        __asan_handle_no_return();
    fill_up(); /* some slots of the cancelled function belong to frames below this one, and are reclaimed first */
    empty();
    expect_left_to_come_back();
    expect_all_alive();
    ended += value != NULL;
}

static void when_all_ends(void)
{
    when_it_ends(&ended);
    if (ended != 2)
        _exit(4);
}

static void *doomed(void *key)
{
    pthread_setspecific(*(pthread_key_t *)key, key);
    volatile long variable = 9;
    pthread_cancel(pthread_self());
    size_t before = statictramp_capacity();
    for (size_t i = 0; i < 2 * before; i++) { /* the table grows during this loop */
        CHECK(statictramp_alloc(FN(the_chain), NULL));
        CHECK(statictramp_bind(FN(abs), NULL, 0));
        made++;
    }
    for (size_t i = 0; i < 8 * before; i++) {
        CHECK(init((void *)the_long, (const char *)&variable + 8 * i));
        made++;
    }
    CHECK(statictramp_capacity() > 8 * before);
    pthread_testcancel();
    CHECK(!"it was cancelled");
    return NULL;
}

int main(void)
{
    size_t before = statictramp_capacity();
    pthread_t thread;
    pthread_key_t key;
    void *result;
    atexit(when_all_ends);
    CHECK(pthread_key_create(&key, when_it_ends) == 0);
    CHECK(pthread_create(&thread, NULL, doomed, &key) == 0);
    CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    CHECK(made == 10 * before && ended == 1);
    puts("cancelled.c: ok");
    return 0;
}
