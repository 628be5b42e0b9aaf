/* Runs threads, signals and forks concurrently while the table grows. No slot is lost, and no thread waits
   forever. `storm SECONDS [static]`: `static` means that the table cannot grow and need not. */

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../../../tests/common/check.h"
#include "statictramp.h"

void *_FortranATrampolineInit(void *scratch, const void *callee, const void *chain);
void _FortranATrampolineFree(void *handle);
void __gcc_nested_func_ptr_created(void *chain, void *function, void *destination);
void __gcc_nested_func_ptr_deleted(void);

static atomic_bool stop;
static atomic_long made, handled;

/* Creates, calls and frees through each interface. */
static void once(void)
{
    volatile long variable = 5;
    statictramp_fn plain = statictramp_alloc(FN(the_chain), (void *)&variable);
    void *handle = _FortranATrampolineInit(NULL, (void *)the_long, (void *)&variable);
    statictramp_fn nested;
    __gcc_nested_func_ptr_created((void *)&variable, (void *)the_long, &nested);
    CHECK(plain && ((void *(*)(void))plain)() == (void *)&variable);
    CHECK(((long (*)(void))handle)() == 5 && ((long (*)(void))nested)() == 5);
    __gcc_nested_func_ptr_deleted();
    _FortranATrampolineFree(handle);
    CHECK(statictramp_free(plain) == 0);
}

static void handler(int signal)
{
    (void)signal;
    once();
    handled++;
}

/* Holds up to 3000 trampolines at a time, which is more than the static table has. */
static void *worker(void *number)
{
    enum { MOST = 3000 };
    statictramp_fn *held = calloc(MOST, sizeof *held);
    uint64_t random = (uintptr_t)number + 1;
    while (!stop) {
        size_t count = 1 + (random = random * 6364136223846793005u + 1442695040888963407u) % MOST;
        for (size_t i = 0; i < count; i++) {
            held[i] = statictramp_alloc(i % 3 ? FN(the_chain) : FN(the_long), held + i);
            CHECK(held[i]);
        }
        for (size_t i = 1; i < count; i += 3)
            CHECK(((void *(*)(void))held[i])() == held + i);
        for (size_t i = 0; i < count; i++)
            CHECK(statictramp_free(held[i]) == 0);
        once();
        made += (long)count;
    }
    free(held);
    return NULL;
}

/* Checks the state in a child: all operations work, although the parent's threads have disappeared in the middle of theirs. */
static void child(void)
{
    statictramp_fn held[2000];
    alarm(20); /* a lock that stays held would block forever */
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2000; i++)
            CHECK((held[i] = statictramp_alloc(FN(the_chain), held + i)));
        for (int i = 0; i < 2000; i++)
            CHECK(((void *(*)(void))held[i])() == held + i && statictramp_free(held[i]) == 0);
        once();
    }
    _exit(0);
}

int main(int argc, char **argv)
{
    const time_t seconds = argc > 1 ? atol(argv[1]) : 2;
    const size_t at_first = statictramp_capacity();
    pthread_t threads[3];
    CHECK(sigaction(SIGALRM, &(struct sigaction){.sa_handler = handler, .sa_flags = SA_RESTART}, NULL) == 0);
    for (uintptr_t i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, worker, (void *)i) == 0);
    CHECK(setitimer(ITIMER_REAL, &(struct itimerval){{0, 200}, {0, 200}}, NULL) == 0);
    int forks = 0;
    for (time_t end = time(NULL) + seconds; time(NULL) < end; forks++) {
        pid_t pid = fork();
        if (pid == 0) {
            signal(SIGALRM, SIG_DFL);
            child();
        }
        int status;
        CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        for (int i = 0; i < 100; i++)
            once();
    }
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    stop = 1;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    CHECK(statictramp_live() == 0 && (argc > 2 || statictramp_capacity() > at_first));
    printf("%ld made, %ld signals handled, %d forks, capacity %zu -> %zu\n", made, handled, forks, at_first,
           statictramp_capacity());
    return 0;
}
