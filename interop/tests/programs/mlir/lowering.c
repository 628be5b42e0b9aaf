/* The check of the options with which MLIR code was lowered. probe_32_1 has an index of 32 bits and takes bare pointers. */
#include <stddef.h>
#include "statictramp_interop.h"

void probe_64_0(void), probe_64_1(void), probe_32_0(void), probe_32_1(void), probe_128_0(void), probe_128_1(void);

int main(void)
{
    int errors = 0;
    errors |= statictramp_check_lowering(probe_64_0) != STATICTRAMP_MEMREF_ERROR_NONE;
    errors |= (statictramp_check_lowering(probe_64_1) != STATICTRAMP_MEMREF_ERROR_BARE_POINTERS) << 1;
    errors |= (statictramp_check_lowering(probe_32_0) != STATICTRAMP_MEMREF_ERROR_INDEX_BITS) << 2;
    errors |= (statictramp_check_lowering(probe_32_1) != STATICTRAMP_MEMREF_ERROR_BARE_POINTERS) << 3;
    errors |= (statictramp_check_lowering(NULL) != STATICTRAMP_MEMREF_ERROR_NULL) << 4;
    errors |= (statictramp_check_lowering(probe_128_0) != STATICTRAMP_MEMREF_ERROR_INDEX_BITS) << 5;
    errors |= (statictramp_check_lowering(probe_128_1) != STATICTRAMP_MEMREF_ERROR_BARE_POINTERS) << 6;
    return errors;
}
