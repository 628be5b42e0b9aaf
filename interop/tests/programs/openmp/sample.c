/* The sample implementation of LLVM's document "declare target indirect": the plugin copies a sorted table into the
   device's memory, and writes its address and size to the two variables of the device's image. No library function sets
   a table.

   With -DDEFINED the image defines the variables itself, as in the document; otherwise they are the library's
   variables. With -DOWN=1 each image has its own variables; only the shared library's are common to all images. The
   plugin writes them by their addresses, as with cuModuleGetGlobal, or in a kernel. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdlib.h>
#include "../../../../tests/common/check.h"

typedef int function(int);
struct __omp_offloading_fptr_map_ty {
    int64_t host_ptr, tgt_ptr;
};
typedef struct __omp_offloading_fptr_map_ty entry;

#pragma omp begin declare target
#ifdef DEFINED
__attribute__((weak)) entry *__omp_offloading_fptr_map_p = 0;
__attribute__((weak)) uint64_t __omp_offloading_fptr_map_size = 0;
#else
extern entry *__omp_offloading_fptr_map_p;
extern uint64_t __omp_offloading_fptr_map_size;
#endif
extern void *__kmpc_target_translate_fptr(void *host);
#pragma omp end declare target

#define HERE (omp_is_initial_device() ? 0 : 1000)
#pragma omp begin declare target indirect
int twice(int x) { return HERE + 2 * x; }
int thrice(int x) { return HERE + 3 * x; }
#pragma omp end declare target

/* The address of a variable of the image that contains a function. */
static void *global_of_image(void *function, const char *name)
{
    Dl_info image;
    CHECK(dladdr(function, &image));
    void *handle = dlopen(image.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    CHECK(handle);
    void *found = dlsym(handle, name);
    CHECK(found);
    dlclose(handle);
    return found;
}

static void write_variables(int device, int by_kernel, entry *there, uint64_t size)
{
    if (by_kernel) {
#pragma omp target device(device) is_device_ptr(there) firstprivate(size)
        {
            __omp_offloading_fptr_map_p = there;
            __omp_offloading_fptr_map_size = size;
        }
    } else {
        void *function = omp_get_mapped_ptr((void *)twice, device);
        *(entry **)global_of_image(function, "__omp_offloading_fptr_map_p") = there;
        *(uint64_t *)global_of_image(function, "__omp_offloading_fptr_map_size") = size;
    }
}

static int by_host_address(const void *a, const void *b)
{
    uint64_t left = (uint64_t)((const entry *)a)->host_ptr, right = (uint64_t)((const entry *)b)->host_ptr;
    return (left > right) - (left < right);
}

static int called(int device, function *f, int x)
{
    int result = -1;
    uintptr_t address = (uintptr_t)f;
#pragma omp target device(device) map(from : result) firstprivate(address, x)
    result = ((function *)__kmpc_target_translate_fptr((void *)address))(x);
    return result;
}

/* A table of both functions, in a device's memory. */
static entry *table_on(int device)
{
    entry table[] = {{(int64_t)thrice, (int64_t)omp_get_mapped_ptr((void *)thrice, device)},
        {(int64_t)twice, (int64_t)omp_get_mapped_ptr((void *)twice, device)}};
    qsort(table, 2, sizeof *table, by_host_address);
    entry *there = omp_target_alloc(sizeof table, device);
    CHECK(there && omp_target_memcpy(there, table, sizeof table, 0, 0, device, omp_get_initial_device()) == 0);
    return there;
}

int main(void)
{
    CHECK(omp_get_num_devices() >= 2);
    entry *tables[2];
    for (int device = 0; device < 2; device++) {
        for (int by_kernel = 0; by_kernel < 2; by_kernel++) {
            CHECK(called(device, twice, 21) == 42); /* without a table, the host's function */
            tables[device] = table_on(device);
            write_variables(device, by_kernel, tables[device], 2);
            CHECK(called(device, twice, 21) == 1042 && called(device, thrice, 5) == 1015);
            write_variables(device, by_kernel, NULL, 0);
            CHECK(called(device, twice, 21) == 42);
            omp_target_free(tables[device], device);
        }
    }
    /* Tables of both devices at the same time, if each image has its own variables. */
    if (OWN) {
        for (int device = 0; device < 2; device++)
            write_variables(device, 0, tables[device] = table_on(device), 2);
        for (int device = 0; device < 2; device++) {
            uintptr_t address = (uintptr_t)twice, found = 0;
#pragma omp target device(device) map(from : found) firstprivate(address)
            found = (uintptr_t)__kmpc_target_translate_fptr((void *)address);
            CHECK(found && found == (uintptr_t)omp_get_mapped_ptr((void *)twice, device));
        }
        for (int device = 0; device < 2; device++)
            omp_target_free(tables[device], device);
    }
    puts(OWN ? "2 devices, each with the variables of its image" : "2 devices, one after the other, with the variables of the shared library");
    return 0;
}
