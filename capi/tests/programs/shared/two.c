/* Two libraries use different functions of the library: the first alloc, the second bind_first. Each frees its trampoline. */
#include <statictramp.h>
#include <stdio.h>

#ifdef FIRST
static void count(int *n) { ++*n; }

int first(void)
{
    int n = 0;
    statictramp_fn f = statictramp_alloc((statictramp_fn)count, &n);
    return f == NULL || statictramp_free(f) != 0 || statictramp_live() != 0;
}
#elif defined SECOND
static void count(int *n) { ++*n; }

int second(void)
{
    int n = 0;
    statictramp_fn f = statictramp_bind_first((statictramp_fn)count, &n, 0);
    if (f == NULL) return 1;
    f();
    return n != 1 || statictramp_free(f) != 0;
}
#else
int first(void), second(void);

int main(void)
{
    printf("%d%d\n", first(), second());
    return 0;
}
#endif
