// Another thread makes the table grow after the first thread has
// ended.

#include "statictramp.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define COUNT 3000

static int load(const int *context) { return *context; }

static int first_has_ended(void)
{
    int had = 0;
    char line[512];
    FILE *list = fopen("/proc/self/maps", "r");
    if (list) {
        had = fgets(line, sizeof line, list) != NULL;
        fclose(list);
    }
    return !had;
}

static void *later(void *unused)
{
    (void)unused;
    for (int tries = 0; !first_has_ended(); tries++) {
        if (tries > 100000) {
            puts("the first thread does not end");
            exit(1);
        }
        usleep(1000);
    }
    static int values[COUNT];
    int made = 0;
    for (; made < COUNT; made++) {
        values[made] = made;
        statictramp_fn f = statictramp_bind((statictramp_fn)load, &values[made], 0);
        if (!f || ((int (*)(const int *))f)(NULL) != made)
            break;
    }
    printf("%d of %d, of %zu\n", made, COUNT, statictramp_capacity());
    fflush(stdout);
    _exit(made != COUNT);
}

int main(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, later, NULL) != 0)
        return 1;
    pthread_exit(NULL);
}
