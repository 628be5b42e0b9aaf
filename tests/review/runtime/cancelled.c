/* A thread that is to be cancelled, and makes trampolines first: it is not cancelled inside of the library, where files are
   opened and read. */

#define _GNU_SOURCE
#include <pthread.h>

#include "runtime.h"

static volatile size_t made;

static void *doomed(void *unused)
{
    (void)unused;
    volatile long variable = 9;
    pthread_cancel(pthread_self());
    size_t before = statictramp_capacity();
    for (size_t i = 0; i < 2 * before; i++) { /* the table grows on the way */
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
    void *result;
    CHECK(pthread_create(&thread, NULL, doomed, NULL) == 0);
    CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    CHECK(made == 10 * before);
    puts("cancelled.c: ok");
    return 0;
}
