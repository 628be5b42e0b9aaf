/* Tests an allocator that creates trampolines while the table is full, with or without its lock held. It never
   deadlocks with itself on any thread, and abandoned slots are reclaimed. */

#define _GNU_SOURCE
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>

#include "runtime.h"

static alignas(64) char heap[1 << 24];
static size_t used;
static atomic_int locked;
static volatile int makes, with_lock;
static atomic_long made;

static void lock(void)
{
    while (atomic_exchange(&locked, 1))
        ;
}
static void unlock(void) { atomic_store(&locked, 0); }

__attribute__((noinline)) static void host(void)
{
    volatile long variable = 4;
    void *handle = init((void *)the_long, (void *)&variable);
    CHECK(call(handle) == 4);
    _FortranATrampolineFree(handle);
    made++;
}

static void *take(size_t size)
{
    if (makes && !with_lock)
        host();
    lock();
    if (makes && with_lock)
        host();
    size_t at = used + 64;
    used = at + ((size + 63) & ~(size_t)63);
    CHECK(used <= sizeof heap);
    memcpy(heap + at - sizeof size, &size, sizeof size);
    unlock();
    return heap + at;
}

void free(void *memory) { (void)memory; }
#include "heap.h"

/* All slots except one are in use. So the allocator's own host always needs one slot too many, until it
   reclaims abandoned slots. */
static void *with_a_full_table(void *unused)
{
    size_t before = statictramp_live();
    if (setjmp(out) == 0)
        leave_one_below(64 << 10);
    CHECK(statictramp_live() == before + 1);
    while (statictramp_live() < statictramp_capacity())
        CHECK((fillers[filled++] = statictramp_alloc(FN(the_chain), NULL)));
    makes = 1;
    long count = made;
    void *volatile memory = malloc(8);
    CHECK(memory && made == count + 1);
    makes = 0;
    empty();
    CHECK(statictramp_live() == before);
    return unused;
}

int main(void)
{
    alarm(20);
    statictramp_set_limit(statictramp_capacity());
    for (with_lock = 0; with_lock <= 1; with_lock++) {
        pthread_t thread;
        with_a_full_table(NULL);
        CHECK(pthread_create(&thread, NULL, with_a_full_table, NULL) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    puts("allocator.c: ok");
    return 0;
}
