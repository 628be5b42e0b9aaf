/* A program that attacks the handler: forged and incomplete trampolines, code at the end of a page, memory that changes and
 * disappears, callees that are not code, jumps from 64 threads, and its own SIGSEGV handling at the same time. Each wrong
 * jump must end as it does without emulation. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static __thread sigjmp_buf back;
static __thread volatile int code;
static __thread void *volatile at;

static void handler(int number, siginfo_t *info, void *context)
{
    code = info->si_code;
    at = info->si_addr;
    siglongjmp(back, 1);
}

static long seen;
static int callee(int x)
{
    long chain;
    __asm__ volatile("mov %%r10, %0" : "=r"(chain));
    __atomic_fetch_add(&seen, chain, __ATOMIC_RELAXED);
    return x + 1;
}

/* Writes a trampoline, and returns the number of bytes. */
static int forge(unsigned char *to, void *target, long chain)
{
    memcpy(to, "\x49\xbb", 2);
    memcpy(to + 2, &target, 8);
    memcpy(to + 10, "\x49\xba", 2);
    memcpy(to + 12, &chain, 8);
    memcpy(to + 20, "\x49\xff\xe3", 3);
    return 23;
}

/* Calls an address. Returns the result, -1 if the call faulted at the expected place, or -2 if elsewhere. */
static int call(void *address, void *expected)
{
    if (sigsetjmp(back, 1))
        return at == expected ? -1 : -2;
    return ((int (*)(int))address)(1);
}

static unsigned char *pages;
static volatile int stop;

static void *flip(void *word)
{
    while (!stop) {
        mprotect(pages + 4096, 4096, PROT_NONE);
        mprotect(pages + 4096, 4096, PROT_READ | PROT_WRITE);
        forge(pages + 4096, callee, 1);
        memset(pages + 4096, 0, 64);
    }
    return 0;
}

static void *attack(void *word)
{
    unsigned char own[64];
    long sum = 0;
    for (int i = 0; i < 200; i++) {
        forge(own, callee, 1);
        sum += call(own, own);           /* may run: bytes of a trampoline */
        own[i % 23] ^= 1 << i % 8;
        memset(own + (i % 10 < 2 ? i % 10 : 20), 0xcc, 3);
        sum += call(own, own) < 0;
        call(pages + 4096, pages + 4096); /* changes at the same time */
        call(pages + 4096 - 5, pages + 4096 - 5);
    }
    *(long *)word = sum;
    return 0;
}

int main(int count, char **words)
{
    unsigned char stack[256];
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, 0);
    pages = mmap(0, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages + 8192, 4096);
    forge(stack, callee, 7);
    printf("complete %d\n", call(stack, stack));
    for (int length = 0; length < 23; length++) {
        memset(pages + 8192 - 32, 0, 32);
        unsigned char whole[23];
        forge(whole, callee, 7);
        memcpy(pages + 8192 - length, whole, length);
        printf("%d", call(pages + 8192 - length, pages + 8192 - length) < 0);
    }
    forge(pages + 8192 - 23, callee, 7);
    printf("\nat the end of a page %d\n", call(pages + 8192 - 23, 0));
    forge(pages + 4096 - 10, callee, 7);
    printf("across pages %d\n", call(pages + 4096 - 10, 0));
    mprotect(pages + 4096, 4096, PROT_NONE);
    printf("half readable %d\n", call(pages + 4096 - 10, pages + 4096 - 10));
    mprotect(pages + 4096, 4096, PROT_READ | PROT_WRITE);
    forge(stack, (void *)8, 7);
    printf("no callee %d\n", call(stack, (void *)8));
    forge(stack, &seen, 7);
    printf("data as callee %d\n", call(stack, &seen));
    forge(stack, (void *)0x8000000000000000, 7);
    printf("an impossible callee %d\n", call(stack, 0) < 0);
    unsigned char *other = stack + 64;
    forge(other, callee, 3);
    forge(stack, other, 7);
    printf("a trampoline as callee %d, chains %ld\n", call(stack, 0), seen);

    /* The kernel's own call fails here, because no memory is at the stack pointer. */
    pthread_t flipping, attacking[64];
    long sums[64];
    int good = 1;
    pthread_create(&flipping, 0, flip, 0);
    for (int i = 0; i < 64; i++)
        pthread_create(&attacking[i], 0, attack, &sums[i]);
    for (int i = 0; i < 64; i++) {
        pthread_join(attacking[i], 0);
        good &= sums[i] == 200 * 2 + 200;
    }
    stop = 1;
    pthread_join(flipping, 0);
    printf("64 threads %s\n", good ? "as expected" : "wrong");
    signal(SIGSEGV, SIG_DFL);
    fflush(stdout);
    memset(stack, 0x49, sizeof stack);
    ((void (*)(void))(void *)(count > 1 ? (unsigned char *)words : stack))();
}
