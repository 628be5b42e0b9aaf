/* Reads the captured variables of an internal procedure in host.f90 by the layout of its host's tuple. TEXT is the
   layout, in one of two notations. */
#include "../../../../tests/common/check.h"
#include "statictramp_interop.h"

static statictramp_fn procedure;

static statictramp_captured_variable found(const char *name, statictramp_captured_kind kind, size_t size)
{
    statictramp_captured_variable variable = {0};
    if (statictramp_captured(procedure, getenv("TEXT"), name, &variable) != 0 || variable.kind != kind || variable.size != size) {
        fprintf(stderr, "%s: kind %d, size %zu\n", name, variable.kind, variable.size);
        exit(1);
    }
    return variable;
}

static statictramp_view described(const char *name, size_t rank)
{
    statictramp_view view;
    statictramp_captured_variable variable = found(name, STATICTRAMP_CAPTURED_KIND_DESCRIPTOR, rank);
    CHECK(statictramp_view_descriptor(variable.address, &view) == STATICTRAMP_DESCRIPTOR_ERROR_NONE);
    return view;
}

static int equal(const char *name, statictramp_captured_kind kind, const void *bytes, size_t size)
{
    return memcmp(found(name, kind, size).address, bytes, size) == 0;
}

void look_(statictramp_fn given)
{
    procedure = given;
    const double z[2] = {1.25, -2};
    const int n = 42, three = 3, any = 77;
    CHECK(equal("z", STATICTRAMP_CAPTURED_KIND_NUMBER, z, sizeof z));
    CHECK(equal("n", STATICTRAMP_CAPTURED_KIND_NUMBER, &n, sizeof n));
    CHECK(equal("flag", STATICTRAMP_CAPTURED_KIND_NUMBER, "\1", 1));
    CHECK(equal("text", STATICTRAMP_CAPTURED_KIND_CHARACTER, "a text", 6));
    CHECK(equal("fixed", STATICTRAMP_CAPTURED_KIND_CHARACTER, "abcde", 5));
    CHECK(memcmp(found("at", STATICTRAMP_CAPTURED_KIND_ADDRESS, 0).address, &three, sizeof three) == 0);
    /* This is a procedure, or a trampoline for a procedure. */
    float two = 2;
    float (*f)(float *) = (float (*)(float *))found("f", STATICTRAMP_CAPTURED_KIND_ADDRESS, 0).address;
    CHECK(f(&two) == 4);

    statictramp_view grid = described("grid", 2), p = described("p", 1), list = described("list", 1), local = described("local", 1);
    CHECK(*(double *)grid.base == 4 && grid.dimensions[0].stride == -8 && grid.dimensions[1].extent == 3);
    CHECK(p.attribute == STATICTRAMP_ATTRIBUTE_POINTER && p.dimensions[0].lower_bound == -1 && *(int *)p.base == 90);
    CHECK(list.attribute == STATICTRAMP_ATTRIBUTE_ALLOCATABLE && list.kind == 8 && ((long *)list.base)[2] == -70);
    CHECK(local.category == STATICTRAMP_CATEGORY_REAL && ((float *)local.base)[1] == 2.5);
    statictramp_view any_view = described("any", 0), none = described("none", 1);
    CHECK(memcmp(any_view.base, &any, sizeof any) == 0 && !none.base && none.kind == 2);

    statictramp_captured_variable variable;
    CHECK(statictramp_captured(procedure, getenv("TEXT"), "nobody", &variable) == -1);
    CHECK(statictramp_captured(procedure, "n: integer(3)", "n", &variable) == -1);
    CHECK(statictramp_captured(FN(look_), getenv("TEXT"), "n", &variable) == -1);
    if (getenv("WAIT")) {
        fputs("ready\n", stderr);
        pause();
    }
    procedure(); /* prints, and adds 1 to n */
}
