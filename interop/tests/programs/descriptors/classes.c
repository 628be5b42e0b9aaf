/* Tests the C functions on CLASS dummy arguments of gfortran code (plain.f90). */
#include <stdint.h>
#include <string.h>
#include "../../../../tests/common/check.h"
#include "statictramp_interop.h"

typedef void taker(void *);
void gfortran_plain_class_arrays_(taker *, taker *, taker *);

static int calls;

/* A view of the argument. */
static statictramp_view *show(void *passed, statictramp_category category, statictramp_attribute attribute, unsigned char rank)
{
    static statictramp_descriptor made;
    static statictramp_view view;
    statictramp_view declared;
    memset(&declared, 0, sizeof declared);
    declared.layout = STATICTRAMP_DESCRIPTOR_LAYOUT_GFORTRAN;
    declared.category = category;
    declared.attribute = attribute;
    declared.rank = rank;
    CHECK(statictramp_of_gfortran_class(passed, &declared, &made) == STATICTRAMP_DESCRIPTOR_ERROR_NONE);
    CHECK(statictramp_view_descriptor(&made, &view) == STATICTRAMP_DESCRIPTOR_ERROR_NONE);
    declared.category = STATICTRAMP_CATEGORY_REAL;
    CHECK(statictramp_of_gfortran_class(passed, &declared, &made) == STATICTRAMP_DESCRIPTOR_ERROR_TYPE);
    CHECK(statictramp_of_gfortran_class(NULL, &declared, &made) == STATICTRAMP_DESCRIPTOR_ERROR_NULL);
    calls++;
    return &view;
}

static void on_array(void *passed)
{
    const statictramp_view *view = show(passed, STATICTRAMP_CATEGORY_STRUCT, STATICTRAMP_ATTRIBUTE_OTHER, 1);
    CHECK(view->element_len == 16 && view->dimensions[0].extent == (calls == 1 ? 3 : 2));
    CHECK(*(int32_t *)view->base == (calls == 1 ? 2 : 6));
}

static void on_any(void *passed)
{
    static const size_t sizes[] = {5, 4, 16};
    const statictramp_view *view = show(passed, STATICTRAMP_CATEGORY_OTHER, STATICTRAMP_ATTRIBUTE_OTHER, 0);
    CHECK(view->element_len == sizes[calls - 3]);
    CHECK(calls != 3 || memcmp(view->base, "hello", 5) == 0);
}

static void on_pointer(void *passed)
{
    const statictramp_view *view = show(passed, STATICTRAMP_CATEGORY_STRUCT, STATICTRAMP_ATTRIBUTE_POINTER, 2);
    CHECK((view->base == NULL) == (calls == 6));
    CHECK(calls == 6 || (*(int32_t *)view->base == 10 && view->element_len == 16));
}

int main(void)
{
    gfortran_plain_class_arrays_(on_array, on_any, on_pointer);
    CHECK(calls == 7);
    return 0;
}
