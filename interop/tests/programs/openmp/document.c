/* Compiled for the host and for a device, each into a library: entries as in LLVM's document "declare target indirect",
   for the procedures themselves and with size 0, among those for a region and a variable. */
#include <stddef.h>
#include <stdint.h>

struct __tgt_offload_entry {
    const void *addr;
    const char *name;
    size_t size;
    int32_t flags, reserved;
};

#ifdef ON_DEVICE
enum { HERE = 1000 };
#else
enum { HERE = 0 };
#endif
#ifndef SIZE
#define SIZE 0
#endif
enum { OMP_DECLARE_TARGET_FPTR = 0x08 };

static int twice(int x) { return HERE + 2 * x; }
static int thrice(int x) { return HERE + 3 * x; }
static void region(void) {}
static int variable = HERE;

#define ENTRY(address, of, size, flags) \
    __attribute__((section("omp_offloading_entries"), used)) static const struct __tgt_offload_entry entry_##of = \
        {(const void *)(address), #of, size, flags, 0}
ENTRY(region, region, 0, 0);
ENTRY(twice, twice, SIZE, OMP_DECLARE_TARGET_FPTR);
ENTRY(&variable, variable, sizeof variable, 0);
ENTRY(thrice, thrice, 0, OMP_DECLARE_TARGET_FPTR);

extern const char __start_omp_offloading_entries[], __stop_omp_offloading_entries[];
const void *exported[] = {__start_omp_offloading_entries, __stop_omp_offloading_entries, (const void *)twice, (const void *)thrice};
