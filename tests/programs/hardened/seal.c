/* Measures the cost of write-protecting slots, and shows the obstacles, on x86-64. Prints a table of nanoseconds,
   which are the best of several rounds.

   The program uses its own stub, which resembles the library's, with a slot on a separate page. */

#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition) \
    ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))

struct slot { void *volatile chain; void *volatile callee; volatile uint32_t claim; uint32_t below; void *procedure; };

/* slots: a page. The second stub decodes its words with a secret, as glibc does with the addresses in a jmp_buf. */
extern struct slot sealed_page[128];
extern uintptr_t secret;
long stub(long), mangled(long), target(long), empty(long);
__asm__(".bss\n.balign 4096\n.globl sealed_page\nsealed_page: .skip 4096\n"
        ".balign 64\n.globl secret\nsecret: .skip 8\n"
        ".text\n.balign 64\n.globl stub\nstub: endbr64\nmovq sealed_page(%rip), %r10\njmpq *sealed_page+8(%rip)\n"
        ".balign 64\n.globl mangled\nmangled: endbr64\nmovq secret(%rip), %r11\nmovq sealed_page+32(%rip), %r10\n"
        "xorq %r11, %r10\nxorq sealed_page+40(%rip), %r11\njmpq *%r11\n"
        ".balign 64\n.globl target\ntarget: endbr64\nleaq (%rdi,%r10), %rax\nret\n");

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time); /* not wall-clock time, as the machine may be shared */
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* MEASURE(NAME, COUNT, ONE): the nanoseconds that ONE takes. */
#define MEASURE(name, count, one)                              \
    do {                                                       \
        double best = 1e18;                                    \
        for (int round = 0; round < 7; round++) {              \
            const double start = now();                        \
            for (long i = 0; i < (count); i++) {               \
                one;                                           \
                __asm__ volatile("" ::: "memory");             \
            }                                                  \
            const double took = (now() - start) / (count);     \
            best = took < best ? took : best;                  \
        }                                                      \
        printf("| %s | %.1f |\n", name, best);                 \
    } while (0)

static void protect(int rights) { CHECK(mprotect(sealed_page, sizeof sealed_page, rights) == 0); }

static void fill(void)
{
    sealed_page[0].claim |= 1;
    sealed_page[0].chain = (void *)5;
    sealed_page[0].callee = (void *)target;
    sealed_page[0].claim += 4;
}

static sigjmp_buf out;
static void faulted(int signal)
{
    (void)signal;
    siglongjmp(out, 1);
}

/* Checks whether a store faults, and whether an exchange with a wrong expected value faults. */
static int store_faults(void)
{
    if (sigsetjmp(out, 1) != 0)
        return 1;
    sealed_page[0].callee = NULL;
    return 0;
}
static int failing_exchange_faults(void)
{
    if (sigsetjmp(out, 1) != 0)
        return 1;
    uint32_t expected = sealed_page[1].claim + 2;
    __atomic_compare_exchange_n(&sealed_page[1].claim, &expected, 7, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return 0;
}

int main(void)
{
    long (*volatile call)(long) = stub;
    secret = 0x123456789abcdef0;
    fill();
    sealed_page[1].chain = (void *)(5 ^ secret);
    sealed_page[1].callee = (void *)((uintptr_t)target ^ secret);
    CHECK(stub(1) == 6 && mangled(1) == 6);

    MEASURE("a call through a stub", 20000000, CHECK(call(1) == 6));
    call = mangled;
    MEASURE("the same, both words taken through a secret", 20000000, CHECK(call(1) == 6));
    call = stub;
    MEASURE("filling a slot", 20000000, fill());
    MEASURE("the same, its page opened before and closed after (mprotect)", 200000,
            (protect(PROT_READ | PROT_WRITE), fill(), protect(PROT_READ)));
    MEASURE("a call through a stub whose slot's page is read-only", 20000000, CHECK(call(1) == 6));

    const int key = (int)syscall(SYS_pkey_alloc, 0, 0);
    if (key < 0) {
        printf("| the same, opened and closed by a protection key | not here: pkey_alloc says %s |\n", strerror(errno));
    } else {
        CHECK(syscall(SYS_pkey_mprotect, sealed_page, sizeof sealed_page, PROT_READ | PROT_WRITE, key) == 0);
        const unsigned closed = 2u << (2 * key);
        unsigned rights, high;
        __asm__ volatile("rdpkru" : "=a"(rights), "=d"(high) : "c"(0));
#define WRPKRU(value) __asm__ volatile("wrpkru" : : "a"(value), "c"(0), "d"(0) : "memory")
        MEASURE("the same, opened and closed by a protection key", 2000000,
                WRPKRU(rights & ~closed); fill(); WRPKRU(rights | closed));
        WRPKRU(rights & ~closed);
    }

    protect(PROT_READ);
    CHECK(signal(SIGSEGV, faulted) != SIG_ERR);
    CHECK(store_faults());
    CHECK(failing_exchange_faults());
    puts("a store into the page faults; so does an exchange that changes nothing");
    if (syscall(462 /* mseal */, sealed_page, sizeof sealed_page, 0) == 0) {
        CHECK(mprotect(sealed_page, sizeof sealed_page, PROT_READ | PROT_WRITE) == -1 && errno == EPERM);
        CHECK(munmap(sealed_page, sizeof sealed_page) == -1 && errno == EPERM);
        puts("after mseal the page cannot be made writable again, nor unmapped");
    } else {
        printf("mseal: %s\n", strerror(errno));
    }
    return 0;
}
