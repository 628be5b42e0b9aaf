/* Indirect calls on a device that cannot read the host's memory: the table is copied to the device as described in
   interop/capi/device/statictramp_device.c. The device's image contains that file instead of the library. While the device
   runs, the host's table is empty, and the mapped data is unreadable at its host address. */
#include <omp.h>
#include <sys/mman.h>
#include "../../../../tests/common/check.h"
#include "statictramp_interop.h"

typedef int function(int);

#pragma omp begin declare target
extern void *__kmpc_target_translate_fptr(void *host);
extern void *__llvm_omp_indirect_call_lookup(void *host);
extern void *__omp_offloading_fptr_map_p;
extern uint64_t __omp_offloading_fptr_map_size;
#pragma omp end declare target
extern void __tgt_rtl_set_function_ptr_map(int32_t device, uint64_t count, const void *table);

#define HERE (omp_is_initial_device() ? 0 : 1000)
#pragma omp begin declare target indirect
int twice(int x) { return HERE + 2 * x; }
int thrice(int x) { return HERE + 3 * x; }
int negated(int x) { return HERE - x; }
#pragma omp end declare target

enum { FUNCTIONS = 3, PAGE = 4096 };
static function *const functions[FUNCTIONS] = {twice, thrice, negated};
static int not_indirect(int x) { return x; }

/* Performs the four steps, and returns the device's memory, for omp_target_free. */
static void *put_table(int device, int count)
{
    statictramp_function_pair pairs[FUNCTIONS];
    for (int i = 0; i < count; i++) {
        pairs[i].host = (uint64_t)functions[i];
        pairs[i].target = (uint64_t)omp_get_mapped_ptr((void *)functions[i], device);
        CHECK(pairs[i].target && pairs[i].target != pairs[i].host);
    }
    __tgt_rtl_set_function_ptr_map(device, (uint64_t)count, pairs);
    uint64_t size = __omp_offloading_fptr_map_size;
    CHECK(size == (uint64_t)count);
    void *there = size ? omp_target_alloc(size * sizeof *pairs, device) : NULL;
    CHECK((there || !size) && there != __omp_offloading_fptr_map_p);
    CHECK(!size || omp_target_memcpy(there, __omp_offloading_fptr_map_p, size * sizeof *pairs, 0, 0, device, omp_get_initial_device()) == 0);
#pragma omp target device(device) is_device_ptr(there) firstprivate(size)
    {
        __omp_offloading_fptr_map_p = there;
        __omp_offloading_fptr_map_size = size;
    }
    return there;
}

int main(void)
{
    CHECK(omp_get_num_devices() >= 2);
    /* Pointers for the device, on a separate page. */
    function **commands = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(commands != MAP_FAILED);
    for (int device = 0; device < 2; device++) {
        for (int i = 0; i < FUNCTIONS; i++)
            commands[i] = functions[i];
        commands[FUNCTIONS] = not_indirect;
        commands[FUNCTIONS + 1] = NULL;
        int results[FUNCTIONS] = {0}, kept = -1, absent = -1;
#pragma omp target device(device) map(to : commands[0 : FUNCTIONS + 2]) map(from : absent)
        absent = __kmpc_target_translate_fptr((void *)commands[0]) == (void *)commands[0];
        CHECK(absent == 1); /* without a table no pointer is translated */

        void *table = put_table(device, FUNCTIONS);
        CHECK(statictramp_function_on(device, (statictramp_fn)twice));
#pragma omp target enter data map(to : commands[0 : FUNCTIONS + 2]) device(device)
        /* The device has its copies; the host's memory is inaccessible. */
        CHECK(mprotect(commands, PAGE, PROT_NONE) == 0);
        CHECK(statictramp_set_functions(device, 0, NULL) == STATICTRAMP_MAP_ERROR_SET);
#pragma omp target device(device) map(from : results, kept)
        {
            for (int i = 0; i < FUNCTIONS; i++)
                results[i] = ((function *)__kmpc_target_translate_fptr((void *)commands[i]))(7);
            kept = __llvm_omp_indirect_call_lookup((void *)commands[FUNCTIONS]) == (void *)commands[FUNCTIONS]
                && !__llvm_omp_indirect_call_lookup((void *)commands[FUNCTIONS + 1]);
        }
        CHECK(mprotect(commands, PAGE, PROT_READ | PROT_WRITE) == 0);
        CHECK(results[0] == 1014 && results[1] == 1021 && results[2] == 993 && kept == 1);

        /* Sets another table in its place, with only one function. */
        void *smaller = put_table(device, 1);
        omp_target_free(table, device);
        int first = 0;
#pragma omp target device(device) map(from : first, kept)
        {
            first = ((function *)__kmpc_target_translate_fptr((void *)commands[0]))(7);
            kept = __kmpc_target_translate_fptr((void *)commands[1]) == (void *)commands[1];
        }
        CHECK(first == 1014 && kept == 1);
        /* No table. */
        put_table(device, 0);
        omp_target_free(smaller, device);
#pragma omp target device(device) map(from : kept)
        kept = __kmpc_target_translate_fptr((void *)commands[0]) == (void *)commands[0];
        CHECK(kept == 1);
#pragma omp target exit data map(delete : commands[0 : FUNCTIONS + 2]) device(device)
    }
    puts("2 devices with a copy of the table, and the lookup in C");
    return 0;
}
