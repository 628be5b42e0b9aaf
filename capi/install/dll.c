/* statictramp.dll stays loaded until the process ends, like the shared library on other systems (-z nodelete): even
   after FreeLibrary, a trampoline still calls its callee, or prints the message that it is dead.

   Microsoft's headers are not needed, and with Microsoft's linker, neither is a C runtime. */

#include <stddef.h>

__declspec(dllimport) int __stdcall GetModuleHandleExW(unsigned long flags, const wchar_t *address, void **module);

enum { PROCESS_ATTACH = 1, FLAG_PIN = 1, FLAG_FROM_ADDRESS = 4 };

int __stdcall DllMain(void *self, unsigned long reason, void *reserved)
{
    void *pinned;
    (void)reserved;
    return reason != PROCESS_ATTACH || GetModuleHandleExW(FLAG_FROM_ADDRESS | FLAG_PIN, self, &pinned);
}

#ifdef _MSC_VER
/* What a C runtime would contain: a symbol that marks floating-point code, the directory of thread-local storage, and the load
   configuration, which marks the image for Control Flow Guard. The two structs are those of winnt.h, IMAGE_TLS_DIRECTORY64 and
   IMAGE_LOAD_CONFIG_DIRECTORY64. */
int _fltused = 1;

#pragma section(".tls", read, write)
#pragma section(".tls$ZZZ", read, write)
unsigned _tls_index;
__declspec(allocate(".tls")) static char tls_start[8];
__declspec(allocate(".tls$ZZZ")) static char tls_end[8];
const struct {
    const void *start, *end, *index, *callbacks;
    unsigned zeros, characteristics;
} _tls_used = {tls_start, tls_end, &_tls_index, NULL, 0, 0};

/* The linker makes the lists, and defines the symbols; flags and counts are numbers. The loader replaces the
   address in check_pointer, although no code in this DLL reads it. */
extern char __guard_fids_table[], __guard_fids_count[], __guard_flags[], __guard_longjmp_table[], __guard_longjmp_count[];

static void check_nothing(void *target) { (void)target; }

#pragma section(".00cfg", read)
__declspec(allocate(".00cfg")) static void (*const volatile check_pointer)(void *) = check_nothing;

const struct {
    unsigned size, not_used[27];
    const void *check, *dispatch, *functions, *count;
    const void *flags; /* 4 bytes of flags, then 4 that have another meaning and are 0 */
    const void *not_used_either[3], *longjmp_targets, *longjmp_count;
} _load_config_used = {
    sizeof _load_config_used, {0}, (const void *)&check_pointer, NULL, __guard_fids_table, __guard_fids_count, __guard_flags,
    {NULL}, __guard_longjmp_table, __guard_longjmp_count,
};
#endif
