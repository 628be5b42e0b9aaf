/* Tests every function of libstatictramp in a program that needs nothing else from the kernel: creating, calling,
   freeing and looking up; a full table and its error; calls after free; and hosts abandoned by longjmp.

   `client static`: the table does not grow. `client grows`: the table grows. `client may-grow`: either is correct.
   `client dies`: a call after free without a handler, which aborts. */

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statictramp.h"

#define CHECK(condition) \
    ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))

void __gcc_nested_func_ptr_created(void *chain, void *function, void *destination);
void __gcc_nested_func_ptr_deleted(void);

enum { MANY = 10000 };
static statictramp_fn all[MANY];
static size_t at_first;
static jmp_buf out;

static long add(long context, long x) { return context + x; }

static long call(statictramp_fn f, long x) { return ((long (*)(long, long))f)(0, x); }

static statictramp_fn make(size_t i) { return statictramp_bind((statictramp_fn)add, (void *)i, 0); }

static void rounds(void)
{
    for (size_t i = 0; i < 100000; i++) {
        statictramp_fn f = make(i), callee;
        void *context;
        CHECK(f != NULL && call(f, 5) == (long)i + 5);
        CHECK(statictramp_lookup(f, &callee, &context) == 1 && callee == (statictramp_fn)add && context == (void *)i);
        CHECK(statictramp_free(f) == 0 && statictramp_lookup(f, NULL, NULL) == 0);
        errno = 0;
        CHECK(statictramp_free(f) == -1 && errno == EINVAL);
    }
    CHECK(statictramp_live() == 0);
}

/* Allocates until the table is full, and returns the number of trampolines. Rejected calls lose no slot, and each
   sets the documented error. */
static size_t fill(void)
{
    size_t made = 0;
    while (made < MANY && (all[made] = make(made)) != NULL)
        made++;
    if (made < MANY) {
        CHECK(errno == ENOMEM && made == statictramp_capacity());
        for (int again = 0; again < 100; again++) {
            errno = 0;
            CHECK(make(0) == NULL && errno == ENOMEM);
        }
    }
    CHECK(statictramp_live() == made);
    for (size_t i = 0; i < made; i++)
        CHECK(call(all[i], 7) == (long)i + 7);
    for (size_t i = 0; i < made; i += 3) {
        CHECK(statictramp_free(all[i]) == 0);
        CHECK((all[i] = make(i)) != NULL);
    }
    for (size_t i = 0; i < made; i++) {
        CHECK(call(all[i], 7) == (long)i + 7);
        CHECK(statictramp_free(all[i]) == 0);
    }
    CHECK(statictramp_live() == 0);
    return made;
}

static statictramp_fn late;
static size_t late_slot;

static void dead_call(size_t slot, statictramp_fn callee)
{
    late = callee;
    late_slot = slot;
    longjmp(out, 1);
}

static void dead(void)
{
    statictramp_fn f = make(3);
    CHECK(f != NULL && statictramp_free(f) == 0);
    statictramp_on_dead_call(dead_call);
    if (setjmp(out) == 0) {
        call(f, 1);
        CHECK(!"a dead call came back");
    }
    CHECK(late == (statictramp_fn)add && late_slot < statictramp_capacity());
}

/* A host, like GCC's code, that is left without freeing. */
static void host(long *frame)
{
    void *pointer;
    __gcc_nested_func_ptr_created(frame, (void *)add, &pointer);
    longjmp(out, 1);
}

static size_t jumped;

static void jumps(void)
{
    statictramp_set_limit(at_first);
    for (volatile size_t i = 0; i < 3 * at_first; i++) {
        long frame = (long)i;
        if (setjmp(out) == 0)
            host(&frame);
        jumped = i + 1;
    }
}

int main(int argc, char **argv)
{
    const char *wanted = argc == 2 ? argv[1] : "";
    at_first = statictramp_capacity();
    if (strcmp(wanted, "dies") == 0) {
        statictramp_fn f = make(3);
        CHECK(f != NULL && statictramp_free(f) == 0);
        return (int)call(f, 1);
    }
    rounds();
    const size_t most = fill();
    const int grew = most > at_first;
    CHECK(strcmp(wanted, "may-grow") == 0 || strcmp(wanted, grew ? "grows" : "static") == 0);
    dead();
    printf("%zu at once of %zu at first; ", most, at_first);
    fflush(stdout);
    jumps();
    printf("%zu hosts left by longjmp\n", jumped);
    return 0;
}
