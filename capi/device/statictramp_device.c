/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Functions that device code calls before it calls through a pointer from the host (OpenMP's declare target indirect), for
   devices without the library: GPUs. This is plain C and needs no header of the library; compile it for the device and link it
   into the device's image:

       clang --target=nvptx64-nvidia-cuda -march=sm_70 -nogpulib -ffreestanding -O2 -emit-llvm -c statictramp_device.c
       clang --target=amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib -ffreestanding -O2 -c statictramp_device.c

   The host sets a table in four steps, none of which needs memory that both host and device can access:

   1. it makes pairs of host and device addresses and lets the library sort them:
      __tgt_rtl_set_function_ptr_map(device, count, pairs) or statictramp_set_functions_of_entries leaves that device's table
      at __omp_offloading_fptr_map_p, with __omp_offloading_fptr_map_size pairs of 16 bytes (in the host's copy of the library);
   2. it allocates as many bytes on the device (omp_target_alloc, cuMemAlloc, hipMalloc);
   3. it copies the pairs there (omp_target_memcpy, cuMemcpyHtoD, hipMemcpyHtoD);
   4. it stores that address and the number of pairs in the two variables below: by a target region that assigns them, or by their
      addresses on the device (cuModuleGetGlobal, hipModuleGetGlobal) and a copy of 8 bytes to each.

   During these steps, no code that calls these functions may run on the device. A replaced table may be freed afterwards. */
#include <stdint.h>

/* The image uses its own definitions, even if the process has others with these names. */
#define VISIBLE __attribute__((visibility("protected")))

/* A pair of addresses. The table is sorted by the host addresses, compared as unsigned numbers. */
struct __omp_offloading_fptr_map_ty {
    int64_t host_ptr;
    int64_t tgt_ptr;
};

extern struct __omp_offloading_fptr_map_ty *__omp_offloading_fptr_map_p;
extern uint64_t __omp_offloading_fptr_map_size;
/* Weak: compilers may define them in each file. */
VISIBLE __attribute__((weak)) struct __omp_offloading_fptr_map_ty *__omp_offloading_fptr_map_p = 0;
VISIBLE __attribute__((weak)) uint64_t __omp_offloading_fptr_map_size = 0;

void *__kmpc_target_translate_fptr(void *host);
void *__llvm_omp_indirect_call_lookup(void *host);

/* Returns the device address of a function, or the pointer unchanged if no pair contains it. */
VISIBLE void *__kmpc_target_translate_fptr(void *host)
{
    const struct __omp_offloading_fptr_map_ty *first = __omp_offloading_fptr_map_p;
    uint64_t key = (uint64_t)(uintptr_t)host, count = __omp_offloading_fptr_map_size;
    while (count > 1) {
        uint64_t half = count / 2;
        first += (uint64_t)first[half].host_ptr <= key ? half : 0;
        count -= half;
    }
    return count && (uint64_t)first->host_ptr == key ? (void *)(uintptr_t)first->tgt_ptr : host;
}

/* LLVM's name for __kmpc_target_translate_fptr. Weak: LLVM's own GPU runtime defines this function as well. */
VISIBLE __attribute__((weak)) void *__llvm_omp_indirect_call_lookup(void *host) { return __kmpc_target_translate_fptr(host); }
