/* A program with the archive, and a library (-DLIBRARY) that is linked to the shared library. They use different functions. */
#include "../../../../tests/common/check.h"
#include "statictramp.h"

static void count(int *n) { ++*n; }
static void check(statictramp_fn f, const int *n)
{
    CHECK(f);
    f();
    CHECK(*n == 1 && statictramp_free(f) == 0);
}

void use(void);
#ifdef LIBRARY
void use(void)
{
    int n = 0;
    check(statictramp_bind((statictramp_fn)count, &n, 0), &n);
}
#else
int main(void)
{
    int n = 0;
    check(statictramp_bind_first((statictramp_fn)count, &n, 0), &n);
    use();
    return 0;
}
#endif
