/* A cancelled thread creates trampolines. The table grows, and no slot is lost. The thread ends at its
   next cancellation point. */

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../common/check.h"
#include "statictramp.h"

enum { COUNT = 5000 };
static statictramp_fn all[COUNT];
static volatile int go, made;

static void *make(void *unused)
{
    while (!go)
        continue;
    for (int i = 0; i < COUNT && (all[i] = statictramp_alloc((statictramp_fn)the_chain, all + i)); i++)
        made++;
    pthread_testcancel();
    return unused;
}

/* A call after free aborts the process even on a thread with a pending cancellation. */
static void *call_late(void *unused)
{
    while (!go)
        continue;
    statictramp_fn late = all[0];
    statictramp_free(late);
    late();
    return unused;
}

static void *run_cancelled(void *(*what)(void *))
{
    pthread_t thread;
    void *result;
    go = 0;
    CHECK(pthread_create(&thread, NULL, what, NULL) == 0 && pthread_cancel(thread) == 0);
    go = 1;
    CHECK(pthread_join(thread, &result) == 0);
    return result;
}

int main(void)
{
    CHECK(run_cancelled(make) == PTHREAD_CANCELED);
    CHECK(made == COUNT && statictramp_live() == COUNT);
    CHECK(dup(1) == 3); /* no file descriptor was left open */
    pid_t child = fork();
    if (child == 0) {
        run_cancelled(call_late);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    for (int i = 0; i < COUNT; i++)
        CHECK(statictramp_free(all[i]) == 0);
    printf("%d made by a thread that was cancelled\n", made);
    return 0;
}
