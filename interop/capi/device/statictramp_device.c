/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Functions that device code calls before it calls through a pointer from the host (OpenMP's declare target indirect). They are
   for devices on which the library does not run, which are GPUs. This file is plain C and needs no header of the library. Compile
   it for the device and link it into the device's image:

       clang --target=nvptx64-nvidia-cuda -march=sm_70 -nogpulib -ffreestanding -O2 -emit-llvm -c statictramp_device.c
       clang --target=amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib -ffreestanding -O2 -c statictramp_device.c

   The host sets a table in four steps. None of them needs memory that both the host and the device can access:

   1. it makes pairs of host and device addresses, and the library sorts them:
      __tgt_rtl_set_function_ptr_map(device, count, pairs) or statictramp_set_functions_of_entries stores the address of that device's table in __omp_offloading_fptr_map_p, and its number of 16-byte pairs in __omp_offloading_fptr_map_size (in the host's copy of the library);
   2. it allocates the same number of bytes on the device (omp_target_alloc, cuMemAlloc, hipMalloc);
   3. it copies the pairs there (omp_target_memcpy, cuMemcpyHtoD, hipMemcpyHtoD);
   4. it stores that address and the number of pairs in the two variables below. It can do this in a target region that assigns to them, or by copying 8 bytes to the device address of each (cuModuleGetGlobal, hipModuleGetGlobal).

   While the host performs these steps, no code that calls these functions may run on the device. After the last step, the host
   may free the table that was replaced. */
#include <stdint.h>

/* The image uses its own definitions, even if the process contains other definitions of these names. */
#define VISIBLE __attribute__((visibility("protected")))

/* A pair of addresses. The table is sorted by host address, compared as unsigned or as signed numbers. */
struct __omp_offloading_fptr_map_ty {
    int64_t host_ptr;
    int64_t tgt_ptr;
};

extern struct __omp_offloading_fptr_map_ty *__omp_offloading_fptr_map_p;
extern uint64_t __omp_offloading_fptr_map_size;
/* Weak, because compilers may define these variables in each file. */
VISIBLE __attribute__((weak)) struct __omp_offloading_fptr_map_ty *__omp_offloading_fptr_map_p = 0;
VISIBLE __attribute__((weak)) uint64_t __omp_offloading_fptr_map_size = 0;

void *__kmpc_target_translate_fptr(void *host);
void *__llvm_omp_indirect_call_lookup(void *host);

/* Returns the device address of a function, or the pointer unchanged if no pair contains it. */
VISIBLE void *__kmpc_target_translate_fptr(void *host)
{
    const struct __omp_offloading_fptr_map_ty *first = __omp_offloading_fptr_map_p;
    uint64_t key = (uint64_t)(uintptr_t)host, count = __omp_offloading_fptr_map_size;
    /* The distance from the first address ascends in both orders. */
    uint64_t lowest = count ? (uint64_t)first->host_ptr : 0;
    while (count > 1) {
        uint64_t half = count / 2;
        first += (uint64_t)first[half].host_ptr - lowest <= key - lowest ? half : 0;
        count -= half;
    }
    return count && (uint64_t)first->host_ptr == key ? (void *)(uintptr_t)first->tgt_ptr : host;
}

/* LLVM's name for __kmpc_target_translate_fptr. Weak, because LLVM's own GPU runtime also defines this function. */
VISIBLE __attribute__((weak)) void *__llvm_omp_indirect_call_lookup(void *host) { return __kmpc_target_translate_fptr(host); }
