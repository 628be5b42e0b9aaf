// Loads the library given on the command line and calls its closures: on this thread, on an earlier thread, on a later
// thread, and in a signal handler on an alternate stack.
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

typedef long (*ten)(long, long, long, long, long, long, long, long, long, long);
static ten closures[2];
static sem_t loaded;
static int handled;

static void check(void)
{
    for (int round = 0; round < 1000; round++)
        for (int i = 0; i < 2; i++)
            if (closures[i](1, 1, 1, 1, 1, 1, 1, 1, 1, round) != 45 + 10 * round + 1000 * i)
                abort();
}

static void *on_thread(void *wait)
{
    if (wait)
        sem_wait(&loaded);
    check();
    return NULL;
}

static void on_signal(int number)
{
    (void)number;
    check();
    handled++;
}

int main(int count, char **arguments)
{
    pthread_t before, after;
    sem_init(&loaded, 0, 0);
    if (count != 2 || pthread_create(&before, NULL, on_thread, &loaded))
        return 2;
    void *library = dlopen(arguments[1], RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    ten (*make)(long) = (ten (*)(long))dlsym(library, "make_ten");
    for (int i = 0; i < 2; i++)
        if (!make || !(closures[i] = make(1000 * i)))
            return 1;
    stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    sem_post(&loaded);
    pthread_create(&after, NULL, on_thread, NULL);
    for (int i = 0; i < 10; i++) {
        check();
        raise(SIGUSR1);
    }
    pthread_join(before, NULL);
    pthread_join(after, NULL);
    if (handled != 10)
        return 1;
    puts("closures of ten arguments, in a library that was loaded later");
    return 0;
}
