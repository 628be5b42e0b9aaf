/* Indirect calls on OpenMP devices, with LLVM's own offload runtime and its host plugin: each device has its own image,
   in which functions have other addresses.

   There are two ways to link. With -DCOPY_IN_IMAGE=1, the image has a copy of the library, and a target region sets
   that copy's table. With 0, image and program use the shared library, and the program sets all devices' tables. */
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include "../../../../tests/common/check.h"
#include "entries.h"
#include "statictramp_interop.h"

/* An entry as compilers write it for a virtual function table. */
struct entry {
    uint64_t reserved;
    uint16_t version, kind;
    uint32_t flags;
    const void *address;
    const char *name;
    uint64_t size, data;
    const void *more;
};

#pragma omp begin declare target
extern void *__kmpc_target_translate_fptr(void *host);
extern void *__llvm_omp_indirect_call_lookup(void *host);
extern void __tgt_rtl_set_function_ptr_map(int32_t device, uint64_t count, const void *table);
typedef int function(int);
function *translated(function *host) { return (function *)__kmpc_target_translate_fptr((void *)host); }
/* A library function that calls its argument, a plain function pointer. */
int apply(function *f, int x) { return f(x); }
#pragma omp end declare target

/* A device's version adds 1000; the compiler knows which of the two it compiles. */
#define HERE (omp_is_initial_device() ? 0 : 1000)
#pragma omp begin declare target indirect
int twice(int x) { return HERE + 2 * x; }
int thrice(int x) { return HERE + 3 * x; }
int negated(int x) { return HERE - x; }
int scaled(int x, const int *factor) { return HERE + *factor * x; }
/* The static chain is in r10, as for compiled nested functions. */
__attribute__((naked)) int nested(int x) { __asm__("movl (%r10), %eax\n\timull %edi, %eax\n\tret"); }
#pragma omp end declare target

function *const dispatch[2] = {twice, negated};
#pragma omp begin declare target
function *const device_dispatch[2] = {twice, negated};
function *const *device_dispatch_pointer = device_dispatch;
struct entry device_entry = {0, 1, 1, 0x20, &device_dispatch_pointer, "dispatch", 8, 0, 0};
#pragma omp end declare target
struct entry host_entry = {0, 1, 1, 0x20, dispatch, "dispatch", sizeof dispatch, 0, 0};

int not_indirect(int x) { return x; }

/* A table of all functions for a device, made from the runtime's data. It is in reverse order, so it must be sorted. */
enum { FUNCTIONS = 5 };
static void table_of(int device, statictramp_function_pair *table)
{
    void *functions[FUNCTIONS] = {(void *)twice, (void *)thrice, (void *)negated, (void *)scaled, (void *)nested};
    for (int i = 0; i < FUNCTIONS; i++) {
        uint64_t host = (uint64_t)functions[i];
        int position = 0;
        for (int j = 0; j < FUNCTIONS; j++)
            position += (uint64_t)functions[j] > host;
        table[position].host = host;
        table[position].target = (uint64_t)omp_get_mapped_ptr(functions[i], device);
        CHECK(table[position].target && table[position].target != host);
    }
}

/* Sets a device's table as an OpenMP run-time library does: in the program's library and, if the image has its own copy of the
   library, in that copy. */
static void set_by_runtime(int device)
{
    statictramp_function_pair table[FUNCTIONS];
    table_of(device, table);
    __tgt_rtl_set_function_ptr_map(device, FUNCTIONS, table);
    if (COPY_IN_IMAGE) {
#pragma omp target device(device) map(to : table) firstprivate(device)
        __tgt_rtl_set_function_ptr_map(device, FUNCTIONS, table);
    }
}

/* From the entries that the compiler has emitted in the program and in the device's image. */
static int set_by_entries(int device)
{
    uintptr_t start = (uintptr_t)ENTRIES(start), stop = (uintptr_t)ENTRIES(stop);
    int result = -1;
#pragma omp target device(device) map(from : result)
    result = statictramp_set_functions_of_entries(device, ENTRY_SIZE, (void *)start, (void *)stop, ENTRIES(start), ENTRIES(stop));
    return result;
}

struct commands {
    function *first, *second, *none, *foreign;
};

/* Pointers in memory, which no runtime translates, are called on the device. */
static void indirect_calls(int device)
{
    struct commands commands = {twice, thrice, NULL, not_indirect};
    int results[6] = {0};
#pragma omp target device(device) map(to : commands) map(from : results)
    {
        results[0] = translated(commands.first)(21);
        results[1] = apply(translated(commands.second), 5);
        results[2] = translated(commands.none) == NULL;
        results[3] = translated(commands.foreign) == commands.foreign;
        results[4] = ((function *)__llvm_omp_indirect_call_lookup((void *)commands.first))(4);
        /* Between two functions of the table. */
        results[5] = __kmpc_target_translate_fptr((char *)commands.first + 1) == (char *)commands.first + 1;
    }
    CHECK(results[0] == 1042 && results[1] == 1015 && results[2] && results[3] && results[4] == 1008 && results[5]);
    CHECK(apply(commands.first, 21) == 42);
}

/* Without a table, a host pointer remains unchanged. This is the negative control for the tests above. */
static void untranslated(int device)
{
    struct commands commands = {twice, thrice, NULL, not_indirect};
    int same = 0;
#pragma omp target device(device) map(to : commands) map(from : same)
    same = translated(commands.first) == commands.first && commands.first != twice;
    /* In the shared library, devices without a table use the previous device's table. */
    CHECK(same || (!COPY_IN_IMAGE && device > 0));
}

static void virtual_functions(int device)
{
    function *const *vtable = dispatch + 1;
    int result = 0;
    uintptr_t entry = (uintptr_t)&host_entry, at = (uintptr_t)vtable;
#pragma omp target device(device) map(from : result)
    {
        statictramp_map_error error = statictramp_set_functions_of_entries(device, sizeof(struct entry), (void *)entry,
            (struct entry *)entry + 1, &device_entry, &device_entry + 1);
        function *const *on = (function *const *)__kmpc_target_translate_fptr((void *)at);
        result = error ? -1 : on == device_dispatch + 1 ? on[0](7) : -2;
    }
    CHECK(result == 993);
}

/* A closure that was created on the host runs on the device, through a trampoline of the table there. */
static void closures(int device)
{
    int factor = 6, host_only = 7, result = 0, chained = 0;
    function *closure = (function *)statictramp_bind((statictramp_fn)scaled, &factor, 1);
    function *chain = (function *)statictramp_alloc((statictramp_fn)nested, &factor);
    function *unmapped = (function *)statictramp_bind((statictramp_fn)scaled, &host_only, 1);
    function *host_function = (function *)statictramp_bind((statictramp_fn)not_indirect, &factor, 1);
    CHECK(apply(closure, 7) == 42 && apply(chain, 7) == 42);
#pragma omp target enter data map(to : factor) device(device)
    statictramp_parts_on_device parts = {0}, chain_parts = {0}, none = {0};
    void *(*mapped)(const void *, int) = (void *(*)(const void *, int))omp_get_mapped_ptr;
#define ON(trampoline, parts) statictramp_on_device(device, (statictramp_fn)(trampoline), mapped, parts)
    CHECK(ON(closure, &parts) == STATICTRAMP_NOT_ON_DEVICE_HAS);
    CHECK(ON(chain, &chain_parts) == STATICTRAMP_NOT_ON_DEVICE_HAS);
    CHECK(parts.position == 1 && chain_parts.position == -1 && parts.chain == chain_parts.chain && parts.chain != &factor);
    CHECK(parts.callee == statictramp_function_on(device, (statictramp_fn)scaled));
    CHECK(ON(unmapped, &none) == STATICTRAMP_NOT_ON_DEVICE_NOT_MAPPED);
    CHECK(ON(host_function, &none) == STATICTRAMP_NOT_ON_DEVICE_NO_FUNCTION);
    CHECK(ON(twice, &none) == STATICTRAMP_NOT_ON_DEVICE_FOREIGN);
    CHECK(ON(NULL, &none) == STATICTRAMP_NOT_ON_DEVICE_FOREIGN);
    CHECK(statictramp_free((statictramp_fn)unmapped) == 0);
    CHECK(ON(unmapped, &none) == STATICTRAMP_NOT_ON_DEVICE_DEAD);
    CHECK(none.callee == NULL);

    uintptr_t made = 0;
    int live = -1;
#pragma omp target device(device) map(from : result, chained, made, live) map(to : parts, chain_parts)
    {
        function *there = (function *)statictramp_bind(parts.callee, parts.chain, (unsigned)parts.position);
        function *nested_there = (function *)statictramp_alloc(chain_parts.callee, chain_parts.chain);
        made = (uintptr_t)there;
        result = apply(there, 7);
        chained = apply(nested_there, 8);
        statictramp_free((statictramp_fn)there);
        statictramp_free((statictramp_fn)nested_there);
        live = (int)statictramp_live();
    }
    CHECK(result == 1042 && chained == 48);
    /* The trampoline belongs to the copy of the library in the device's image, if there is one. */
    CHECK(statictramp_lookup((statictramp_fn)made, NULL, NULL) == (COPY_IN_IMAGE ? -1 : 0));
    CHECK(live == (COPY_IN_IMAGE ? 0 : 3));
#pragma omp target exit data map(delete : factor) device(device)
    statictramp_free((statictramp_fn)closure);
    statictramp_free((statictramp_fn)chain);
    statictramp_free((statictramp_fn)host_function);
}

static atomic_int over;
static void *set_again_and_again(void *device)
{
    while (!atomic_load(&over))
        set_by_runtime(*(int *)device);
    return NULL;
}

/* Tables replace each other while the device looks up addresses. */
static void replaced(int device, long times)
{
    pthread_t thread;
    struct commands commands = {twice, thrice, NULL, not_indirect};
    long errors = -1;
    atomic_store(&over, 0);
    pthread_create(&thread, NULL, set_again_and_again, &device);
#pragma omp target device(device) map(to : commands, times) map(from : errors)
    {
        errors = 0;
        for (long i = 0; i < times; i++)
            errors += translated(commands.first)(1) != 1002 || translated(commands.second)(1) != 1003
                || translated(commands.foreign) != commands.foreign;
    }
    atomic_store(&over, 1);
    pthread_join(thread, NULL);
    CHECK(errors == 0);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2 && omp_get_num_devices() >= 2);
    uintptr_t addresses[2] = {0};
    for (int device = 0; device < 2; device++) {
        /* The first region loads the image. */
#pragma omp target device(device)
        {
        }
        untranslated(device);
        set_by_runtime(device);
        indirect_calls(device);
        CHECK(set_by_entries(device) == STATICTRAMP_MAP_ERROR_SET);
        indirect_calls(device);
        set_by_runtime(device);
        addresses[device] = (uintptr_t)statictramp_function_on(device, (statictramp_fn)twice);
    }
    CHECK(addresses[0] && addresses[1] && addresses[0] != addresses[1]);
    /* Both tables exist now, one for each device. */
    for (int device = 0; device < 2; device++) {
        uintptr_t found = 0;
        struct commands commands = {twice, thrice, NULL, not_indirect};
#pragma omp target device(device) map(to : commands) map(from : found)
        found = (uintptr_t)translated(commands.first);
        CHECK(found == addresses[device]);
        closures(device);
        replaced(device, atol(argv[1]));
        virtual_functions(device);
        set_by_runtime(device);
    }
    printf("%d devices of their own addresses: %s\n", 2, COPY_IN_IMAGE ? "a copy in each image" : "the shared library");
    return 0;
}
