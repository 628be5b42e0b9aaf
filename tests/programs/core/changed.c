/* The library's file, or its mapping, changes while the program runs: `changed HOW LIBRARY OTHER`. OTHER is a file
   with other bytes. Fills the table and prints whether it grows. If the table does not grow, prints the reason, as in the
   message for a full table. */

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../common/check.h"
#include "statictramp.h"

enum { COUNT = 3000 };
static statictramp_fn all[COUNT];
static size_t page;
uintptr_t last_stub; /* for the debugger */

void *_FortranATrampolineInit(void *, void *, void *);

/* Returns the mapping that contains an address, with its offset in the file. If `strict`, no mapping may be writable
   and executable. */
struct mapping { uintptr_t start, end, offset; };
static struct mapping mapping_of(uintptr_t address, int strict)
{
    char line[4096], rights[5];
    struct mapping one, found = {0, 0, 0};
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps)) {
        CHECK(sscanf(line, "%lx-%lx %4s %lx", &one.start, &one.end, rights, &one.offset) == 4);
        CHECK(!strict || !strstr(rights, "wx"));
        if (one.start <= address && address < one.end)
            found = one;
    }
    fclose(maps);
    return found;
}

static void rights(uintptr_t start, size_t len, int rights) { CHECK(mprotect((void *)start, len, rights) == 0); }

/* Writes the bytes of `with` into a file in place, as `cp` does. */
static void overwrite(const char *file, const char *with, int flags)
{
    static char bytes[1 << 16];
    int to = open(file, O_WRONLY | flags), from = open(with, O_RDONLY);
    CHECK(to >= 0 && from >= 0);
    for (ssize_t len; (len = read(from, bytes, sizeof bytes)) > 0;)
        CHECK(write(to, bytes, (size_t)len) == len);
    close(to);
    close(from);
}

/* Inverts the byte at an offset in a file. */
static void invert(const char *file, uintptr_t at)
{
    unsigned char byte;
    int descriptor = open(file, O_RDWR);
    CHECK(descriptor >= 0 && pread(descriptor, &byte, 1, (off_t)at) == 1);
    byte = (unsigned char)~byte;
    CHECK(pwrite(descriptor, &byte, 1, (off_t)at) == 1);
    close(descriptor);
}

/* Gives the process a private copy of the code's pages. The first byte of a stub becomes `byte`, unless that is
   negative. */
static void write_code(uintptr_t stub, struct mapping code, int byte)
{
    rights(code.start, code.end - code.start, PROT_READ | PROT_WRITE);
    for (uintptr_t at = code.start; at < code.end; at += page)
        *(volatile char *)at = *(volatile char *)at;
    if (byte >= 0)
        *(volatile char *)stub = (char)byte;
    rights(code.start, code.end - code.start, PROT_READ | PROT_EXEC);
}

__attribute__((noinline)) static void change(const char *how, const char *library, const char *other, uintptr_t first, uintptr_t last, size_t stride)
{
    struct mapping code = mapping_of(first, 1);
    uintptr_t in_file = last - code.start + code.offset;
    if (strcmp(how, "overwritten") == 0)
        overwrite(library, other, O_TRUNC);
    else if (strcmp(how, "truncated") == 0)
        CHECK(truncate(library, 4096) == 0);
    else if (strcmp(how, "cut") == 0) /* in the middle of the stubs */
        CHECK(truncate(library, (off_t)(in_file & ~(page - 1))) == 0);
    else if (strcmp(how, "stub") == 0)
        invert(library, in_file);
    else if (strcmp(how, "neighbour") == 0) /* on the stubs' last page, and not a stub */
        invert(library, (in_file | (page - 1)));
    else if (strcmp(how, "own-pages") == 0)
        write_code(last, code, -1);
    else if (strcmp(how, "own-pages-stub") == 0) {
        write_code(last, code, -1);
        invert(library, in_file);
    } else if (strcmp(how, "padding") == 0) { /* after the last stub: breakpoint instructions in the running code */
        CHECK(*(unsigned char *)(last + stride - 1) == 0xcc);
        write_code(last, code, -1);
        invert(library, in_file + stride - 1);
    } else if (strcmp(how, "breakpoint-operand") == 0) { /* a breakpoint in a stub, and another slot number in the file */
        write_code(last + stride / 4, code, 0xcc);
        invert(library, in_file + stride / 4);
    } else if (strcmp(how, "patched") == 0)
        write_code(last, code, 0x90);
    else if (strcmp(how, "breakpoint") == 0)
        write_code(last, code, 0xcc);
    else if (strcmp(how, "locked") == 0)
        CHECK(mlock((void *)((first & ~(page - 1)) + page), page) == 0 && mapping_of(first, 1).end <= last);
    else if (strcmp(how, "rights") == 0)
        rights(last & ~(page - 1), page, PROT_READ | PROT_WRITE | PROT_EXEC);
    else if (strcmp(how, "anonymous") == 0) {
        static char bytes[1 << 22];
        const size_t len = code.end - code.start;
        CHECK(len <= sizeof bytes);
        memcpy(bytes, (void *)code.start, len);
        CHECK(mmap((void *)code.start, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED);
        memcpy((void *)code.start, bytes, len);
        rights(code.start, len, PROT_READ | PROT_EXEC);
    } else if (strcmp(how, "personality") == 0)
        CHECK(personality(READ_IMPLIES_EXEC) >= 0);
    else if (strcmp(how, "address-space") == 0)
        CHECK(setrlimit(RLIMIT_AS, &(struct rlimit){0, RLIM_INFINITY}) == 0);
    else
        CHECK(strcmp(how, "as-it-was") == 0);
}

/* Prints why the table cannot grow, as when compiled code aborts. */
static void print_reason(void)
{
    static const char before[] = "the table cannot grow: ";
    char line[1024];
    int ends[2], status;
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        _FortranATrampolineInit(NULL, (void *)the_chain, NULL);
        _exit(1);
    }
    close(ends[1]);
    ssize_t len = read(ends[0], line, sizeof line - 1);
    line[len > 0 ? len : 0] = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    char *reason = strstr(line, before);
    CHECK(reason != NULL);
    printf("%s", reason + strlen(before));
}

int main(int argc, char **argv)
{
    CHECK(argc == 4);
    page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t at_first = statictramp_capacity();
    size_t count = 0;
    for (; count < at_first; count++)
        CHECK((all[count] = statictramp_alloc((statictramp_fn)the_chain, all + count)));
    uintptr_t low = (uintptr_t)all[0], high = low;
    for (size_t i = 0; i < count; i++) {
        low = (uintptr_t)all[i] < low ? (uintptr_t)all[i] : low;
        high = (uintptr_t)all[i] > high ? (uintptr_t)all[i] : high;
    }
    last_stub = high;
    change(argv[1], argv[2], argv[3], low, high, (high - low) / (count - 1));
    errno = 4711;
    while (count < COUNT && (all[count] = statictramp_alloc((statictramp_fn)the_chain, all + count)))
        count++;
    CHECK(errno == (count < COUNT ? ENOMEM : 4711));
    CHECK(count == COUNT || count == at_first);
    for (size_t i = 0; i < count; i++)
        CHECK((uintptr_t)all[i] == high || ((void *(*)(void))all[i])() == all + i);
    mapping_of(low, strcmp(argv[1], "rights") != 0);
    if (count < COUNT)
        print_reason();
    else
        puts("grown");
    return 0;
}
