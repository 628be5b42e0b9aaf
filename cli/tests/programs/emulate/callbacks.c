/* Every function of the C library that is replaced, with callbacks that are trampolines on the stack. */
#define _GNU_SOURCE
#include <dirent.h>
#include <ftw.h>
#include <glob.h>
#include <link.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

__attribute__((noipa)) static long sorted(int direction, int n)
{
    int v[64], calls = 0;
    int compare(const void *a, const void *b) { calls++; return direction * (*(int *)a - *(int *)b); }
    int compare_r(const void *a, const void *b, void *c) { (*(int *)c)++; return compare(a, b); }
    int equal(const void *a, const void *b) { calls++; return *(int *)a != *(int *)b; }
    for (int i = 0; i < n; i++)
        v[i] = i * 37 % 61;
    qsort(v, n, sizeof *v, compare);
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum = sum * 3 + v[i];
    int key = 14, more = 0;
    int *found = bsearch(&key, v, n, sizeof *v, compare);
    sum += found ? found - v : 1000;
    qsort_r(v, n, sizeof *v, compare_r, &more);
    size_t count = n;
    found = lfind(&key, v, &count, sizeof *v, equal);
    sum += found - v;
    key = -5;
    lsearch(&key, v, &count, sizeof *v, equal);
    return sum + calls + more + count;
}

__attribute__((noipa)) static void tree(int factor)
{
    void *root = 0;
    int keys[20], visits = 0, freed = 0;
    int compare(const void *a, const void *b) { return factor * (*(int *)a - *(int *)b); }
    void visit(const void *node, VISIT which, int depth) { visits += which == leaf || which == postorder ? **(int **)node * factor + depth : 0; }
    void visit_r(const void *node, VISIT which, void *sum) { *(int *)sum += which + factor; }
    void drop(void *key) { freed += *(int *)key; }
    for (int i = 0; i < 20; i++) {
        keys[i] = i * 7 % 20;
        tsearch(&keys[i], &root, compare);
    }
    int key = 3, more = 0;
    printf("found %d\n", **(int **)tfind(&key, &root, compare));
    tdelete(&key, &root, compare);
    twalk(root, visit);
    twalk_r(root, visit_r, &more);
    tdestroy(root, drop);
    printf("tree %d %d %d\n", visits, more, freed);
}

__attribute__((noipa)) static void files(const char *directory)
{
    int seen = 0, names = 0, errors = 0;
    int each(const char *path, const struct stat *s, int kind, struct FTW *f) { seen += 1 + f->level; return 0; }
    int each_old(const char *path, const struct stat *s, int kind) { seen += 100; return 0; }
    int keep(const struct dirent *e) { return e->d_name[0] == 'f'; }
    int order(const struct dirent **a, const struct dirent **b) { names++; return -strcmp((*a)->d_name, (*b)->d_name); }
    int failed(const char *path, int why) { errors++; return 0; }
    nftw(directory, each, 4, FTW_PHYS);
    ftw(directory, each_old, 4);
    struct dirent **list;
    int n = scandir(directory, &list, keep, order);
    printf("files %d, %d names, first %s, compared %d\n", seen, n, n > 0 ? list[0]->d_name : "", names > 0);
    glob_t found;
    char pattern[300];
    snprintf(pattern, sizeof pattern, "%s/f*", directory);
    glob(pattern, 0, failed, &found);
    printf("glob %zu %d\n", found.gl_pathc, errors);
}

static int total;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

int main(void)
{
    printf("%ld %ld\n", sorted(1, 64), sorted(-1, 50));
    tree(1);
    tree(-1);
    char directory[] = "/tmp/emulate-XXXXXX", path[300];
    if (!mkdtemp(directory))
        return 1;
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/f%d", directory, i);
        fclose(fopen(path, "w"));
    }
    files(directory);
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/f%d", directory, i);
        unlink(path);
    }
    rmdir(directory);

    int local = 1;
    void at_end(void) { printf("at exit: %d\n", local); }
    void at_end_with(int status, void *word) { printf("on exit: %d %d\n", status, local + *(int *)word); }
    void first(void) { total += 7 * local; }
    void dropped(void *value) { __atomic_fetch_add(&total, (long)value + local, __ATOMIC_RELAXED); }
    void *thread(void *word) { pthread_setspecific(key, word); return (char *)word + local; }
    int thread_c11(void *word) { return local + (int)(long)word; }
    void before(void) { printf("before fork %d\n", local); fflush(stdout); }
    int image(struct dl_phdr_info *info, size_t size, void *word) { local += *(int *)word; return 0; }
    void on_signal(int number) { total += local; }
    atexit(at_end);
    on_exit(at_end_with, &local);
    pthread_once(&once, first);
    pthread_once(&once, first);
    pthread_key_create(&key, dropped);
    for (long i = 1; i <= 20; i++) {
        pthread_t t;
        void *result;
        pthread_create(&t, 0, thread, (void *)i);
        pthread_join(t, &result);
        total += (long)result;
        thrd_t c11;
        int answer;
        thrd_create(&c11, thread_c11, (void *)i);
        thrd_join(c11, &answer);
        total += answer;
    }
    printf("threads %d\n", total);
    pthread_atfork(before, 0, 0);
    pid_t child = fork();
    if (child == 0)
        _exit(5);
    int status;
    waitpid(child, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
    int one = 0;
    dl_iterate_phdr(image, &one);
    void (*old)(int) = signal(SIGUSR1, on_signal);
    printf("old %d, again %d\n", old == SIG_DFL, signal(SIGUSR1, on_signal) == on_signal);
    raise(SIGUSR1);
    struct sigaction action = {.sa_handler = on_signal}, before_that;
    sigfillset(&action.sa_mask);
    sigaction(SIGUSR2, &action, 0);
    sigaction(SIGUSR2, 0, &before_that);
    raise(SIGUSR2);
    printf("signals %d, same %d, mask %d\n", total, before_that.sa_handler == on_signal, sigismember(&before_that.sa_mask, SIGSEGV));
    local = 42;
    exit(total % 50);
}
