/* Control Flow Guard: the list of the image with the stubs contains each stub, SLOTS in all. The compiler checks
   the call here through a function that Windows installs. Wine installs none, so this program defines one. Compiled by clang with
   -mguard=cf. */

#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "guard.h"

/* Returns whether the image that contains a function lists it. The list must be sorted, or Windows rejects the image. */
static int is_listed(const void *function)
{
    HMODULE module;
    if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT, function, &module))
        return 0;
    const char *image = (const char *)module;
    const IMAGE_NT_HEADERS64 *headers = (const void *)(image + ((const IMAGE_DOS_HEADER *)image)->e_lfanew);
    const struct load_config *config =
        (const void *)(image + headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_LOAD_CONFIG].VirtualAddress);
    /* IMAGE_DLLCHARACTERISTICS_GUARD_CF, IMAGE_GUARD_CF_FUNCTION_TABLE_PRESENT */
    if (!(headers->OptionalHeader.DllCharacteristics & 0x4000) || !(config->flags & 0x400)) {
        puts("not an image with Control Flow Guard");
        exit(1);
    }
    uint64_t below = 0, above = config->count, stride = 4 + (config->flags >> 28); /* after an address, its flags */
    while (below < above) {
        uint64_t middle = (below + above) / 2;
        const char *entry = image + *(const uint32_t *)((const char *)config->functions + middle * stride);
        if (entry == function)
            return 1;
        *(entry < (const char *)function ? &below : &above) = middle + (entry < (const char *)function);
    }
    return 0;
}

static void check(const void *function)
{
    if (is_listed(function))
        return;
    puts("a checked call ends the program");
    exit(3);
}

/* rax has the call's target; the arguments are preserved. */
__attribute__((naked, used)) static void dispatch(void)
{
    __asm__("push %%rax\n push %%rcx\n push %%rdx\n push %%r8\n push %%r9\n sub $32, %%rsp\n"
            "mov %%rax, %%rcx\n call %P0\n"
            "add $32, %%rsp\n pop %%r9\n pop %%r8\n pop %%rdx\n pop %%rcx\n pop %%rax\n jmp *%%rax" ::"i"(check));
}
void (*__guard_dispatch_icall_fptr)(void) = dispatch;

static long long twice(long long x) { return 2 * x; }

int main(void)
{
    static statictramp_fn all[SLOTS], first;
    static int seen[SLOTS], listed;
    for (int i = 0; i < SLOTS; i++) {
        all[i] = make((statictramp_fn)twice);
        if (!all[i])
            return 1;
        if (!i || (uintptr_t)all[i] < (uintptr_t)first)
            first = all[i];
        listed += is_listed((const void *)all[i]);
    }
    for (int i = 0; i < SLOTS; i++) { /* these are all stubs of the table */
        uintptr_t distance = (uintptr_t)all[i] - (uintptr_t)first;
        if (distance % 16 || distance / 16 >= SLOTS || seen[distance / 16]++)
            return 2;
    }
    if (is_listed((const char *)first + 8))
        return 4;
    printf("%d of %d stubs are listed\n", listed, SLOTS);
    fflush(stdout);
    long long (*volatile callback)(long long) = (long long (*)(long long))all[SLOTS - 1];
    printf("a checked call says %lld\n", callback(21));
    return 0;
}
