/* Tests the C functions on descriptors. They are compiled with a compiler's own ISO_Fortran_binding.h and
   run-time library, whose layout is OWN. OTHER is a different layout. */
#include <ISO_Fortran_binding.h>
#include "../../../../tests/common/check.h"
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

/* If memory is allocated or freed through a copy, the compiler's own run-time library allocates or frees it in
   the original. */
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

/* Descriptors that this library creates equal those that the compiler's own functions create. */
static void made(void)
{
    static double grid[6][4];
    CFI_CDESC_T(2) whole, section;
    CFI_CDESC_T(1) row;
    CFI_index_t extents[] = {4, 6}, low[] = {3, 5}, high[] = {0, 1}, step[] = {-3, -2}, beyond[] = {3, 6}, along[] = {0, 1};
    CHECK(CFI_establish((CFI_cdesc_t *)&whole, grid, CFI_attribute_other, CFI_type_double, 0, 2, extents) == CFI_SUCCESS);
    CHECK(CFI_establish((CFI_cdesc_t *)&section, NULL, CFI_attribute_other, CFI_type_double, 0, 2, NULL) == CFI_SUCCESS);
    CHECK(CFI_establish((CFI_cdesc_t *)&row, NULL, CFI_attribute_other, CFI_type_double, 0, 1, NULL) == CFI_SUCCESS);
    CHECK(CFI_section((CFI_cdesc_t *)&section, (CFI_cdesc_t *)&whole, low, high, step) == CFI_SUCCESS);
    low[1] = 0, high[0] = 3, high[1] = 5;
    CHECK(CFI_section((CFI_cdesc_t *)&row, (CFI_cdesc_t *)&whole, low, high, along) == CFI_SUCCESS);

    statictramp_dimension dimensions[] = {{0, 4, sizeof(double)}, {0, 6, 4 * sizeof(double)}};
    statictramp_view shown = {.layout = OWN, .base = grid, .element_len = sizeof(double), .category = STATICTRAMP_CATEGORY_REAL, .kind = 8,
        .attribute = STATICTRAMP_ATTRIBUTE_OTHER, .rank = 2, .dimensions = dimensions}, view, wanted;
    statictramp_descriptor own, part, line;
    CHECK(statictramp_make_descriptor(&shown, &own) == STATICTRAMP_DESCRIPTOR_ERROR_NONE);
    CHECK(memcmp(&own, &whole, 24 + 2 * 24) == 0);
    low[1] = 5, high[0] = 0, high[1] = 1;
    CHECK(statictramp_section_descriptor(&own, low, high, step, &part) == STATICTRAMP_DESCRIPTOR_ERROR_NONE);
    low[1] = 0, high[0] = 3, high[1] = 5;
    CHECK(statictramp_section_descriptor(&own, low, high, along, &line) == STATICTRAMP_DESCRIPTOR_ERROR_NONE);
    const void *made[] = {&part, &line}, *others[] = {&section, &row};
    for (int i = 0; i < 2; i++) {
        CHECK(statictramp_view_descriptor(made[i], &view) == 0 && statictramp_view_descriptor(others[i], &wanted) == 0);
        CHECK(view.base == wanted.base && view.rank == wanted.rank && view.rank == 2 - i && view.layout == OWN);
        for (int n = 0; n < view.rank; n++)
            CHECK(view.dimensions[n].extent == wanted.dimensions[n].extent && view.dimensions[n].stride == wanted.dimensions[n].stride);
        CHECK(statictramp_is_contiguous(made[i]) == CFI_is_contiguous(others[i]));
    }
    CHECK(statictramp_is_contiguous(&own) == 1 && CFI_is_contiguous((CFI_cdesc_t *)&whole) == 1);
    CHECK(statictramp_is_contiguous(NULL) == -1 && !statictramp_type_name(&own, NULL));
    CHECK(statictramp_section_descriptor(&own, low, beyond, step, &part) == STATICTRAMP_DESCRIPTOR_ERROR_NONE); /* no element */
    step[0] = step[1] = 1;
    CHECK(statictramp_section_descriptor(&own, low, beyond, step, &part) == STATICTRAMP_DESCRIPTOR_ERROR_SUBSCRIPT);
    CHECK(statictramp_section_descriptor(&own, NULL, beyond, step, &part) == STATICTRAMP_DESCRIPTOR_ERROR_NULL);

    /* Converts a C array to gfortran's form without BIND(C), and back. */
    statictramp_gfortran_descriptor plain;
    CHECK(statictramp_to_gfortran(&section, &plain) == STATICTRAMP_DESCRIPTOR_ERROR_NONE);
    CHECK(statictramp_of_gfortran(&plain, &shown, &part) == STATICTRAMP_DESCRIPTOR_ERROR_NONE);
    CHECK(statictramp_view_descriptor(&part, &view) == 0 && statictramp_view_descriptor(&section, &wanted) == 0);
    CHECK(view.base == wanted.base && memcmp(view.dimensions, wanted.dimensions, 2 * sizeof *view.dimensions) == 0);
    CHECK(statictramp_copy_back_to_gfortran(&part, &plain) == STATICTRAMP_DESCRIPTOR_ERROR_UNLIKE);
    shown.attribute = STATICTRAMP_ATTRIBUTE_POINTER;
    CHECK(statictramp_make_descriptor(&shown, &part) == STATICTRAMP_DESCRIPTOR_ERROR_NONE);
    CHECK(statictramp_copy_back_to_gfortran(&part, &plain) == STATICTRAMP_DESCRIPTOR_ERROR_NONE);
    CHECK(statictramp_of_gfortran(&plain, &shown, &line) == STATICTRAMP_DESCRIPTOR_ERROR_NONE && memcmp(&part, &line, 24 + 2 * 24) == 0);
    CHECK(statictramp_of_gfortran(NULL, &shown, &line) == STATICTRAMP_DESCRIPTOR_ERROR_NULL);
    CHECK(statictramp_of_gfortran(&plain, NULL, &line) == STATICTRAMP_DESCRIPTOR_ERROR_NULL);

    /* A C enumeration may contain any number. */
#define INVALID(field, value, error) \
    do { \
        statictramp_view invalid = shown; \
        invalid.field = value; \
        CHECK(statictramp_make_descriptor(&invalid, &part) == STATICTRAMP_DESCRIPTOR_ERROR_##error); \
    } while (0)
    INVALID(layout, 77, VERSION);
    INVALID(category, 77, TYPE);
    INVALID(kind, 300, TYPE);
    INVALID(attribute, 3, ATTRIBUTE);
    INVALID(rank, 16, RANK);
    INVALID(rank, -1, RANK);
    INVALID(dimensions, NULL, NULL);
    INVALID(dimensions, (void *)((char *)dimensions + 1), MISALIGNED);
    CHECK(statictramp_make_descriptor(&shown, NULL) == STATICTRAMP_DESCRIPTOR_ERROR_NULL);
    CHECK(statictramp_make_descriptor((void *)((char *)&shown + 4), &part) == STATICTRAMP_DESCRIPTOR_ERROR_MISALIGNED);
}

/* Fortran's rules for arguments that a procedure may keep. */
static void captures(void)
{
#define MAY(known) statictramp_may_capture(known)
    enum {
        EXPLICIT = STATICTRAMP_CAPTURE_EXPLICIT_INTERFACE,
        C = EXPLICIT | STATICTRAMP_CAPTURE_BIND_C,
        TARGET = STATICTRAMP_CAPTURE_DUMMY_TARGET,
        CALL = STATICTRAMP_CAPTURE_THIS_CALL,
        OF_TARGET = CALL | STATICTRAMP_CAPTURE_ACTUAL_TARGET,
    };
    CHECK(MAY(0) == 0 && MAY(EXPLICIT) == 0 && MAY(C) == 1 && MAY(EXPLICIT | TARGET) == 1 && MAY(STATICTRAMP_CAPTURE_DUMMY_PROCEDURE) == 1);
    CHECK(MAY(C | STATICTRAMP_CAPTURE_DUMMY_VALUE) == 0);
    CHECK(MAY(EXPLICIT | TARGET | CALL) == 0 && MAY(EXPLICIT | TARGET | OF_TARGET) == 1);
    CHECK(MAY(EXPLICIT | TARGET | OF_TARGET | STATICTRAMP_CAPTURE_ACTUAL_TEMPORARY) == 0);
    CHECK(MAY(EXPLICIT | TARGET | OF_TARGET | STATICTRAMP_CAPTURE_OF_DESCRIPTOR) == 0);
    CHECK(MAY(C | CALL | STATICTRAMP_CAPTURE_OF_DESCRIPTOR) == 1);
    CHECK(MAY(EXPLICIT | STATICTRAMP_CAPTURE_ACTUAL_TARGET) == -1 && MAY(8192) == -1 && MAY(~0u) == -1);
}

int main(void)
{
    captures();
    shown_and_converted();
    made();
    allocated_in_a_copy();
    return 0;
}
