/* A program without libc, in which all objects are marked as having landing pads. Every call through a pointer must
   land on a landing pad; otherwise the processor or QEMU, which enforces this, ends the program. Exits 0. Compiled by
   gcc or clang for x86-64 and AArch64.

   The functions of libc that the library needs for creation, calls, frees and a call after free are defined here.
   The library makes its system calls itself, and the table grows. */

#include <stddef.h>
#include "statictramp.h"

static long system_call(long number, long a, long b, long c)
{
#if defined __x86_64__
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
#else
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
#endif
}
#if defined __x86_64__
enum { EXIT = 60 };
#else
enum { EXIT = 93 };
#endif

_Noreturn static void leave(int status)
{
    for (;;)
        system_call(EXIT, status, 0, 0);
}

int failed_at;
#define CHECK(condition) ((condition) ? (void)0 : (failed_at = __LINE__, leave(1)))

/* The functions of libc that the library uses. */
static int error;
int *__errno_location(void) { return &error; }
_Noreturn void abort(void) { leave(2); }
void *memcpy(void *to, const void *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}
void *memset(void *to, int byte, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((volatile char *)to)[i] = (char)byte;
    return to;
}
int memcmp(const void *a, const void *b, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (((const unsigned char *)a)[i] != ((const unsigned char *)b)[i])
            return 1;
    return 0;
}
void *memmove(void *to, const void *from, size_t size) { return memcpy(to, from, size); } /* never called */
size_t strlen(const char *text)
{
    size_t length = 0;
    while (((const volatile char *)text)[length])
        length++;
    return length;
}
int bcmp(const void *a, const void *b, size_t size) { return memcmp(a, b, size); } /* used by cargo's own archive */
unsigned long __getauxval(unsigned long type) { return type == 6 /* AT_PAGESZ */ ? 4096 : 0; }
char *getenv(const char *name) { return name == 0 ? (char *)name : 0; }
#define MISSING(name) long name(void) { return -1; }
MISSING(calloc) MISSING(malloc) MISSING(free) MISSING(dl_iterate_phdr) MISSING(pthread_getcpuclockid) MISSING(pthread_self)

static long add(long a, long b, long c, long d) { return a + 10 * b + 100 * c + 1000 * d; }

/* Calls through a register that linkers' stubs do not use, as compiled code does. */
static long call(statictramp_fn f) { return ((long (*)(long, long, long, long))f)(1, 2, 3, 4); }

/* Thread-local storage. It is below the thread pointer on x86-64, and above it on AArch64. All of it is initialized to zero. */
static void *thread_memory[2048] __attribute__((aligned(64)));

static void make_thread(void)
{
    void **middle = thread_memory + 1024;
    *middle = middle;
#if defined __x86_64__
    CHECK(system_call(158 /* arch_prctl */, 0x1002 /* ARCH_SET_FS */, (long)middle, 0) == 0);
#else
    __asm__ volatile("msr tpidr_el0, %0" : : "r"(middle));
#endif
}

/* Code without a landing pad. With -DCONTROL the program jumps there. If landing pads are enforced, the jump must end the
 * program. */
void no_pad(void);
__asm__(".type no_pad, %function\nno_pad: ret");

static statictramp_fn all[2000];
static void dead(size_t slot, statictramp_fn late) { leave(slot < 2000 && late == (statictramp_fn)add ? 0 : 3); }

__attribute__((used)) void begin(void)
{
    make_thread();
#ifdef CONTROL
    void (*volatile control)(void) = no_pad;
    control();
#endif
    /* Every function of the header through a pointer, and every adapter. */
    statictramp_fn (*volatile bind)(statictramp_fn, void *, unsigned) = statictramp_bind;
    statictramp_fn (*volatile alloc)(statictramp_fn, void *) = statictramp_alloc;
    int (*volatile release)(statictramp_fn) = statictramp_free;
    int (*volatile lookup)(statictramp_fn, statictramp_fn *, void **) = statictramp_lookup;
    size_t (*volatile live)(void) = statictramp_live, (*volatile capacity)(void) = statictramp_capacity;
    void (*volatile on_dead_call)(statictramp_dead_call_handler) = statictramp_on_dead_call;
    static const long sums[] = {4327, 4371, 4721, 7321}; /* 7 instead of a, b, c, d */
    for (unsigned position = 0; position < 4; position++) {
        statictramp_fn f = bind((statictramp_fn)add, (void *)7, position);
        CHECK(f && call(f) == sums[position] && lookup(f, 0, 0) == 1 && release(f) == 0);
    }
    size_t made = 0;
    while (made < 2000 && (all[made] = alloc((statictramp_fn)add, 0)))
        made++;
    CHECK(made == 2000 && live() == made && capacity() == 2048);
    for (size_t i = 0; i < made; i++)
        CHECK(call(all[i]) == 4321);
    on_dead_call(dead);
    CHECK(release(all[1]) == 0);
    call(all[1]);
    leave(4);
}

#if defined __x86_64__
__asm__(".globl _start\n_start: endbr64\nxor %ebp, %ebp\nand $-16, %rsp\ncall begin\nud2");
#else
__asm__(".globl _start\n_start: hint #34\nmov x29, #0\nbl begin\nudf #0");
#endif
