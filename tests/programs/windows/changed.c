/* The program's file, or its code in memory, changes while it runs: `changed as-it-was|breakpoint|patched|wait`. Fills the
   table and creates one more trampoline: the table grows, or the program prints the reason and ends. With `wait`, the program
   prints the file offset of a stub, and continues when it has read a line: by then the test has changed the file. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "statictramp.h"

#define CHECK(condition) \
    ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))

void *the_chain(void);
__asm__(".text\n.globl the_chain\nthe_chain: mov %r10, %rax\nret\n");
const void *_FortranATrampolineInit(void *, const void *, const void *);

/* The file offset of an address in the image. */
static size_t in_file(void *at)
{
    MEMORY_BASIC_INFORMATION here;
    CHECK(VirtualQuery(at, &here, sizeof here));
    char *image = here.AllocationBase;
    IMAGE_NT_HEADERS *headers = (IMAGE_NT_HEADERS *)(image + ((IMAGE_DOS_HEADER *)image)->e_lfanew);
    IMAGE_SECTION_HEADER *section = IMAGE_FIRST_SECTION(headers);
    size_t rva = (size_t)((char *)at - image);
    for (int i = 0; i < headers->FileHeader.NumberOfSections; i++)
        if (rva - section[i].VirtualAddress < section[i].SizeOfRawData)
            return rva - section[i].VirtualAddress + section[i].PointerToRawData;
    CHECK(!"in a section");
    return 0;
}

/* Sets a breakpoint as a debugger does. */
static void write_code(void *at, char byte)
{
    DWORD before, unused;
    CHECK(VirtualProtect(at, 1, PAGE_EXECUTE_READWRITE, &before));
    *(volatile char *)at = byte;
    CHECK(VirtualProtect(at, 1, before, &unused));
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    statictramp_fn first = statictramp_alloc((statictramp_fn)the_chain, NULL), next = first;
    for (size_t i = 1; i < statictramp_capacity(); i++)
        CHECK((next = statictramp_alloc((statictramp_fn)the_chain, (void *)i)) != NULL);
    if (strcmp(argv[1], "breakpoint") == 0)
        write_code((void *)first, (char)0xcc);
    else if (strcmp(argv[1], "patched") == 0)
        write_code((void *)first, (char)0x90);
    else if (strcmp(argv[1], "wait") == 0) {
        printf("%lu\n", (unsigned long)in_file((void *)first));
        fflush(stdout);
        getchar();
    } else
        CHECK(strcmp(argv[1], "as-it-was") == 0);
    next = statictramp_alloc((statictramp_fn)the_chain, &argc);
    if (!next)
        _FortranATrampolineInit(NULL, (const void *)the_chain, NULL);
    CHECK(((void *(*)(void))next)() == &argc);
    puts("grown");
    return 0;
}
