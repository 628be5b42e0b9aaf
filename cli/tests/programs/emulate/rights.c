/* Prints the permissions of the main stack and of a thread's stack. The variable LOADS names a library to load first. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void print(const char *whose, const void *address)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    uintptr_t start, end;
    char line[4096], rights[8];
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %7s", &start, &end, rights) == 3 && (uintptr_t)address - start < end - start)
            printf("%s %s\n", whose, rights);
    if (maps)
        fclose(maps);
}

static void *run(void *unused)
{
    print("thread", &unused);
    return NULL;
}

int main(void)
{
    pthread_t thread;
#ifdef LOADS
    if (!dlopen(LOADS, RTLD_NOW)) {
        puts(dlerror());
        return 2;
    }
#endif
    print("main", &thread);
    if (pthread_create(&thread, NULL, run, NULL))
        return 1;
    pthread_join(thread, NULL);
    return 0;
}
