/* The C functions on descriptors, beside a compiler's own ISO_Fortran_binding.h and runtime: OWN is the layout that those have,
   OTHER another. */
#include <ISO_Fortran_binding.h>
#include "../c/check.h"
#include "statictramp_interop.h"

static void shown_and_converted(void)
{
    static double grid[6][4];
    CFI_CDESC_T(2) whole, section;
    CFI_index_t extents[] = {4, 6}, low[] = {3, 5}, high[] = {0, 1}, step[] = {-3, -2};
    CHECK(CFI_establish((CFI_cdesc_t *)&whole, grid, CFI_attribute_other, CFI_type_double, 0, 2, extents) == CFI_SUCCESS);
    CHECK(CFI_establish((CFI_cdesc_t *)&section, NULL, CFI_attribute_other, CFI_type_double, 0, 2, NULL) == CFI_SUCCESS);
    CHECK(CFI_section((CFI_cdesc_t *)&section, (CFI_cdesc_t *)&whole, low, high, step) == CFI_SUCCESS);
    statictramp_view view, converted;
    CHECK(statictramp_view_descriptor(&section, &view) == STATICTRAMP_DESCRIPTOR_ERROR_NONE);
    CHECK(view.layout == OWN && view.base == &grid[5][3] && view.element_len == sizeof(double) && view.rank == 2);
    CHECK(view.category == STATICTRAMP_CATEGORY_REAL && view.kind == 8 && view.attribute == STATICTRAMP_ATTRIBUTE_OTHER);
    CHECK(view.dimensions[0].extent == 2 && view.dimensions[0].stride == -3 * (ptrdiff_t)sizeof(double));
    CHECK(view.dimensions[1].extent == 3 && view.dimensions[1].stride == -8 * (ptrdiff_t)sizeof(double) && !view.addendum);

    statictramp_descriptor copy;
    CHECK(statictramp_convert_descriptor(&section, OTHER, &copy) == STATICTRAMP_DESCRIPTOR_ERROR_NONE);
    CHECK(statictramp_view_descriptor(&copy, &converted) == STATICTRAMP_DESCRIPTOR_ERROR_NONE);
    CHECK(converted.layout == OTHER && converted.base == view.base && converted.kind == 8 && converted.category == view.category);
    CHECK(memcmp(converted.dimensions, view.dimensions, 2 * sizeof *view.dimensions) == 0);
    CHECK(statictramp_copy_back_descriptor(&copy, &section) == STATICTRAMP_DESCRIPTOR_ERROR_UNLIKE);

    CHECK(statictramp_view_descriptor(NULL, &view) == STATICTRAMP_DESCRIPTOR_ERROR_NULL);
    CHECK(statictramp_view_descriptor((char *)&section + 4, &view) == STATICTRAMP_DESCRIPTOR_ERROR_MISALIGNED);
    CHECK(statictramp_convert_descriptor(&section, 77, &copy) == STATICTRAMP_DESCRIPTOR_ERROR_VERSION);
    ((CFI_cdesc_t *)&section)->rank = 16;
    CHECK(statictramp_view_descriptor(&section, &view) == STATICTRAMP_DESCRIPTOR_ERROR_RANK);
    ((CFI_cdesc_t *)&section)->rank = 2;
    ((CFI_cdesc_t *)&section)->dim[1].extent = -2;
    CHECK(statictramp_view_descriptor(&section, &view) == STATICTRAMP_DESCRIPTOR_ERROR_EXTENT);
    ((CFI_cdesc_t *)&section)->dim[1].extent = 1L << 60;
    CHECK(statictramp_view_descriptor(&section, &view) == STATICTRAMP_DESCRIPTOR_ERROR_OVERFLOW);
    ((CFI_cdesc_t *)&section)->version = 7;
    CHECK(statictramp_view_descriptor(&section, &view) == STATICTRAMP_DESCRIPTOR_ERROR_VERSION);
}

/* What is allocated and freed in a copy has been so in the original, by the compiler's own runtime. */
static void allocated_in_a_copy(void)
{
    CFI_CDESC_T(1) original;
    CFI_index_t low[] = {-2}, high[] = {7};
    CHECK(CFI_establish((CFI_cdesc_t *)&original, NULL, CFI_attribute_allocatable, CFI_type_int, 0, 1, NULL) == CFI_SUCCESS);
    statictramp_descriptor other, copy;
    CHECK(statictramp_convert_descriptor(&original, OTHER, &other) == STATICTRAMP_DESCRIPTOR_ERROR_NONE);
    CHECK(statictramp_convert_descriptor(&other, OWN, &copy) == STATICTRAMP_DESCRIPTOR_ERROR_NONE);
    CHECK(CFI_allocate((CFI_cdesc_t *)&copy, low, high, 0) == CFI_SUCCESS);
    CHECK(statictramp_copy_back_descriptor(&copy, &other) == STATICTRAMP_DESCRIPTOR_ERROR_NONE);
    CHECK(statictramp_copy_back_descriptor(&other, &original) == STATICTRAMP_DESCRIPTOR_ERROR_NONE);
    const CFI_cdesc_t *seen = (CFI_cdesc_t *)&original;
    CHECK(seen->base_addr && seen->dim[0].lower_bound == -2 && seen->dim[0].extent == 10 && seen->dim[0].sm == sizeof(int));
    ((int *)seen->base_addr)[9] = 5;
    CHECK(CFI_deallocate((CFI_cdesc_t *)&original) == CFI_SUCCESS);
    CHECK(statictramp_copy_back_descriptor((statictramp_descriptor *)&original, &copy) == STATICTRAMP_DESCRIPTOR_ERROR_NONE);
    statictramp_view view;
    CHECK(statictramp_view_descriptor(&copy, &view) == STATICTRAMP_DESCRIPTOR_ERROR_NONE);
    CHECK(!view.base && view.attribute == STATICTRAMP_ATTRIBUTE_ALLOCATABLE);
}

int main(void)
{
    shown_and_converted();
    allocated_in_a_copy();
    return 0;
}
