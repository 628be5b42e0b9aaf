/* C functions that MLIR code calls with memrefs, which they check, and one that returns an unranked memref. */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include "../../../../tests/common/check.h"
#include "statictramp_interop.h"

typedef STATICTRAMP_MEMREF(float, 2) matrix;
typedef statictramp_unranked_memref unranked;

int32_t _mlir_ciface_part(matrix *, int64_t len);
int32_t _mlir_ciface_whole(matrix *);
float _mlir_ciface_there_and_back(matrix *, intptr_t, intptr_t);

int32_t _mlir_ciface_looked_at(matrix *m, int64_t len)
{
    CHECK(m->sizes[0] == 2 && m->sizes[1] == 3 && m->strides[1] == 2);
    CHECK(statictramp_check_memref_identity(2, m) == STATICTRAMP_MEMREF_ERROR_NOT_IDENTITY);
    return (int32_t)statictramp_check_memref(2, m, (size_t)len, _Alignof(float));
}

int32_t _mlir_ciface_identity(matrix *m) { return (int32_t)statictramp_check_memref_identity(2, m); }

void _mlir_ciface_without_rank(unranked *result, matrix *m)
{
    result->rank = 2;
    result->descriptor = statictramp_unranked_result(2, m);
    CHECK(result->descriptor);
}

int main(void)
{
    static float elements[48];
    for (int i = 0; i < 48; i++)
        elements[i] = (float)i;
    matrix m = {elements, elements, 0, {6, 8}, {8, 1}};
    /* The last element of the part is 4 * 8 + 5. */
    CHECK(_mlir_ciface_part(&m, 38) == STATICTRAMP_MEMREF_ERROR_NONE);
    CHECK(_mlir_ciface_part(&m, 37) == STATICTRAMP_MEMREF_ERROR_OUT_OF_BOUNDS);
    CHECK(_mlir_ciface_whole(&m) == STATICTRAMP_MEMREF_ERROR_NONE);

    /* The first call leaves its memory to the thread's next call. */
    CHECK(_mlir_ciface_there_and_back(&m, 5, 7) == 47);
    size_t before = mallinfo2().uordblks;
    for (int i = 0; i < 1000; i++)
        CHECK(_mlir_ciface_there_and_back(&m, i % 6, i % 8) == (float)(i % 6 * 8 + i % 8));
    CHECK(mallinfo2().uordblks == before);

    matrix invalid = {elements, elements, 0, {6, -1}, {8, 1}};
    CHECK(statictramp_check_memref(2, &invalid, 48, 4) == STATICTRAMP_MEMREF_ERROR_NEGATIVE_SIZE);
    invalid = (matrix){elements, NULL, 0, {6, 8}, {8, 1}};
    CHECK(statictramp_check_memref(2, &invalid, 48, 4) == STATICTRAMP_MEMREF_ERROR_NULL);
    invalid = (matrix){elements, (float *)((char *)elements + 2), 0, {6, 8}, {8, 1}};
    CHECK(statictramp_check_memref(2, &invalid, 48, 4) == STATICTRAMP_MEMREF_ERROR_MISALIGNED);
    invalid = (matrix){elements, elements, 0, {INTPTR_MAX, INTPTR_MAX}, {INTPTR_MAX, 1}};
    CHECK(statictramp_check_memref(2, &invalid, 48, 4) == STATICTRAMP_MEMREF_ERROR_OUT_OF_BOUNDS);
    CHECK(statictramp_check_memref_identity(2, &invalid) == STATICTRAMP_MEMREF_ERROR_OUT_OF_BOUNDS);
    return 0;
}
