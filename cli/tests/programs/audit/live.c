/* Keeps a live trampoline on the stack of the main thread and one on the stack of another thread, while the
   process waits. Prints "ready" and the addresses. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_barrier_t both;

__attribute__((noinline)) static void call(void (*f)(void)) { f(); }

static void *host(void *name)
{
    volatile int frame = 1;
    void nested(void)
    {
        char line[100];
        frame++;
        snprintf(line, sizeof line, "%s %p\n", (char *)name, (void *)nested);
        fputs(line, stdout);
        fflush(stdout);
        pthread_barrier_wait(&both);
        if (*(char *)name == 'm')
            puts("ready"), fflush(stdout);
        sleep(60);
    }
    call(nested);
    return name;
}

int main(void)
{
    pthread_t other;
    pthread_barrier_init(&both, 0, 2);
    pthread_create(&other, 0, host, "other");
    host("main");
    return 0;
}
