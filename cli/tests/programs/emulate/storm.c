/* A storm of signals. Their handlers call through trampolines on the stack, while the program and its threads do the same. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

__attribute__((noipa)) static int apply(int (*f)(int), int x) { return f(x); }

/* Aborts if a call through a trampoline gives a wrong result. */
__attribute__((noipa)) static long emulate(int y)
{
    int nested(int x) { return x * 3 + y; }
    int compare(const void *a, const void *b) { return y - y + *(int *)a - *(int *)b; }
    int v[3] = {y + 2, y, y + 1};
    qsort(v, 3, sizeof *v, compare);
    if (apply(nested, y) != 4 * y || v[0] != y || v[2] != y + 2)
        abort();
    return v[1];
}

static volatile long alarms;
static void on_alarm(int number)
{
    alarms++;
    emulate(number);
}

static void *work(void *word)
{
    long sum = 0;
    for (int i = 0; i < 3000; i++)
        sum += emulate(i);
    return (void *)sum;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    sigaction(SIGALRM, &action, 0);
    action.sa_flags = SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(SIGVTALRM, &action, 0);
    struct itimerval often = {{0, 150}, {0, 150}};
    setitimer(ITIMER_REAL, &often, 0);
    setitimer(ITIMER_VIRTUAL, &often, 0);
    pthread_t threads[8];
    long sum = 0;
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 8; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += (long)result + (long)work(0);
    }
    while (alarms < 10) /* the machine is fast, or its timers are coarse */
        work(0);
    memset(&often, 0, sizeof often);
    setitimer(ITIMER_REAL, &often, 0);
    setitimer(ITIMER_VIRTUAL, &often, 0);
    printf("%ld\n", sum);
    return 0;
}
