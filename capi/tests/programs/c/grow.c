/* Creates many trampolines that are alive at the same time, for which the table grows: `grow COUNT [unlink FILE |
   expect-full TEXT]`. */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../../tests/common/check.h"
#include "statictramp.h"

static uintptr_t add(uintptr_t context, uintptr_t x) { return context + x; }

static size_t mappings, resident;

/* Counts the mappings and the resident pages. No byte may be writable and executable; if the loader writes the
   code in each file's .plt section, no more bytes than in the first call. */
static void look_at_mappings(void)
{
    static size_t most = 0;
    size_t found = 0, start, end;
    char line[1024];
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    for (mappings = 0; fgets(line, sizeof line, maps); mappings++)
        if (strstr(line, "wx") && sscanf(line, "%zx-%zx", &start, &end) == 2)
            found += end - start;
#ifdef LOADER_WRITES_CODE
    if (most == 0)
        most = found;
#endif
    CHECK(found <= most);
    fclose(maps);
    FILE *statm = fopen("/proc/self/statm", "r");
    CHECK(statm && fscanf(statm, "%*s %zu", &resident) == 1);
    fclose(statm);
    resident *= (size_t)sysconf(_SC_PAGESIZE);
}

static statictramp_fn make(size_t i, void *chain)
{
    if (i % 8 == 7) /* some with a context in a register */
        return statictramp_bind((statictramp_fn)add, (void *)i, 0);
    return statictramp_alloc((statictramp_fn)the_chain, chain);
}

static void use(size_t i, statictramp_fn f, void *chain)
{
    if (i % 8 == 7)
        CHECK(((uintptr_t(*)(uintptr_t, uintptr_t))f)(0, 5) == i + 5);
    else
        CHECK(((void *(*)(void))f)() == chain);
}

/* Several threads create trampolines concurrently. Every address is unique, and every call is correct. */
enum { THREADS = 4 };
static statictramp_fn *all;
static size_t count;

static void *make_share(void *number)
{
    for (size_t i = (size_t)number; i < count; i += THREADS) {
        all[i] = make(i, all + i);
        CHECK(all[i] != NULL);
        use(i, all[i], all + i);
    }
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
    count = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
    const size_t at_first = statictramp_capacity();
    all = calloc(count, sizeof *all);
    memset(all, 0, count * sizeof *all);
    if (argc == 4 && strcmp(argv[2], "unlink") == 0)
        CHECK(unlink(argv[3]) == 0);
    if (argc == 4 && strcmp(argv[2], "expect-full") == 0) {
        size_t i = 0;
        while (i < count && (all[i] = make(i, all + i)))
            i++;
        CHECK(i < count && errno == ENOMEM && i == statictramp_capacity());
        for (size_t j = 0; j < i; j++) {
            use(j, all[j], all + j);
            CHECK(statictramp_free(all[j]) == 0);
        }
        statictramp_fn again = make(0, all);
        CHECK(again && statictramp_free(again) == 0 && statictramp_live() == 0);
        printf("full at %zu\n", i);
        return 0;
    }
    look_at_mappings();
    size_t mappings_before = mappings, resident_before = resident;

    pthread_t threads[THREADS];
    for (size_t t = 0; t < THREADS; t++)
        CHECK(pthread_create(&threads[t], NULL, make_share, (void *)t) == 0);
    for (size_t t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    CHECK(statictramp_live() == count && statictramp_capacity() >= count);
    for (size_t i = 0; i < count; i++)
        use(i, all[i], all + i);

    look_at_mappings();
    printf("%zu live, capacity %zu -> %zu; for each, mappings %.4f, resident bytes %.1f\n", count, at_first,
           statictramp_capacity(), (double)(mappings - mappings_before) / (double)count,
           ((double)resident - (double)resident_before) / (double)count);

    /* Each address is unique, and lookup identifies it. */
    uintptr_t *sorted = malloc(count * sizeof *sorted);
    memcpy(sorted, all, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    for (size_t i = 1; i < count; i++)
        CHECK(sorted[i - 1] < sorted[i]);
    for (size_t i = 0; i < count; i++) {
        statictramp_fn callee;
        void *chain;
        CHECK(statictramp_lookup(all[i], &callee, &chain) == 1);
        CHECK(i % 8 == 7 ? chain == (void *)i : chain == all + i);
        CHECK(statictramp_lookup((statictramp_fn)((uintptr_t)all[i] + 1), NULL, NULL) == -1);
    }
    for (size_t i = 0; i < count; i += 2)
        CHECK(statictramp_free(all[i]) == 0 && statictramp_lookup(all[i], NULL, NULL) == 0);
    CHECK(statictramp_live() == count / 2);
    const size_t grown = statictramp_capacity();
    for (size_t i = 0; i < count; i += 2) {
        all[i] = make(i, all + i);
        use(i, all[i], all + i);
    }
    CHECK(statictramp_capacity() == grown && statictramp_live() == count);
    for (size_t i = 0; i < count; i++)
        CHECK(statictramp_free(all[i]) == 0);
    CHECK(statictramp_live() == 0);

    /* A call through a freed trampoline in an added segment is diagnosed. */
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        freopen("/dev/null", "w", stderr);
        ((void (*)(void))sorted[count - 1])();
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    return 0;
}
