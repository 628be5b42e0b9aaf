/* Makes deep copies of objects of flang code (deep.f90), and converts descriptors with dynamic types. OWN and OTHER are two
   layouts of flang, the first that of this compiler. */
#include <ISO_Fortran_binding.h>
#include <stdlib.h>
#include "../../../../tests/common/check.h"
#include "statictramp_interop.h"

#define OK STATICTRAMP_DESCRIPTOR_ERROR_NONE

/* A copy, and what the CFI functions report about it. */
typedef union {
    statictramp_descriptor made;
    CFI_cdesc_t header;
} any_descriptor;

typedef void two(void *, void *);
void on_list_(const int *, two *), on_whole_(two *), on_ring_(two *), on_section_(two *);
void on_ring_in_section_(two *), on_anything_(two *), look_at_owner_(void *);
void on_owners_(void (*)(void *, const int *, void (*)(void *)), void (*)(void *));
void on_types_(void (*)(void *), two *);
int which_(void *);

/* flang's functions. The allocation with number `failing` fails. */
static long live, made, failing;

static int allocate(void *descriptor, const ptrdiff_t *lower, const ptrdiff_t *upper, size_t len)
{
    if (++made == failing)
        return CFI_ERROR_MEM_ALLOCATION;
    int result = CFI_allocate(descriptor, lower, upper, len);
    live += result == CFI_SUCCESS;
    return result;
}

static int deallocate(void *descriptor)
{
    int result = CFI_deallocate(descriptor);
    live -= result == CFI_SUCCESS;
    return result;
}

static const statictramp_descriptor_runtime flang = {allocate, deallocate};
static statictramp_targets targets;

static void copied(void *a, void *b)
{
    any_descriptor all;
    statictramp_descriptor *copy = &all.made;
    live = made = failing = 0;
    CHECK(statictramp_deep_copy(a, &flang, targets, copy) == OK);
    /* All of the copy can be freed, and no memory is leaked, whichever allocation fails. */
    long count = made, kept = live;
    CHECK(statictramp_deep_free(copy, &flang, targets) == OK && live == 0);
    for (long number = 1; number <= count && count < 1000; number++) {
        made = 0;
        failing = number;
        CHECK(statictramp_deep_copy(a, &flang, targets, copy) == STATICTRAMP_DESCRIPTOR_ERROR_RUNTIME && live == 0);
    }
    failing = 0;
    CHECK(statictramp_deep_copy(a, &flang, targets, copy) == OK && live == kept);
    if (((CFI_cdesc_t *)b)->attribute == CFI_attribute_pointer)
        all.header.attribute = CFI_attribute_pointer;
    CHECK(statictramp_copy_back_descriptor(copy, b) == OK);
}

/* Whatever the descriptor or the table contains, nothing is copied if they contradict each other. */
static void distorted(void *a, void *b)
{
    enum { size_at = 88, parameters_at = 184, components_at = 232, table_size = 432 };
    live = made = failing = 0;
    statictramp_descriptor copy;
    any_descriptor of;
    memcpy(&of, a, 40);
    union { char bytes[table_size]; int64_t words[1]; } table;
    char components[2][256];
    memcpy(&table, *(char **)((char *)&of + 24), sizeof table);
    *(void **)((char *)&of + 24) = &table;
    CFI_cdesc_t *all = (CFI_cdesc_t *)(table.bytes + components_at);
    CHECK(all->elem_len == sizeof components[0] && all->dim[0].extent == 2);
    memcpy(components, all->base_addr, sizeof components);
    all->base_addr = components;
    CHECK(statictramp_deep_copy(&of, &flang, 0, &copy) == OK);
    CHECK(statictramp_deep_free(&copy, &flang, 0) == OK && live == 0);

    CFI_cdesc_t *parameters = (CFI_cdesc_t *)(table.bytes + parameters_at);
    CFI_cdesc_t saved = *parameters;
    parameters->base_addr = &table;
    ptrdiff_t *extent = &parameters->dim[0].extent, was = *extent;
    *extent = 1;
    CHECK(statictramp_deep_copy(&of, &flang, 0, &copy) == STATICTRAMP_DESCRIPTOR_ERROR_UNSUPPORTED);
    *extent = was;
    memcpy(parameters, &saved, 24);
    table.words[size_at / 8]++;
    CHECK(statictramp_deep_copy(&of, &flang, 0, &copy) == STATICTRAMP_DESCRIPTOR_ERROR_TABLE);
    table.words[size_at / 8] -= 2;
    CHECK(statictramp_deep_copy(&of, &flang, 0, &copy) == STATICTRAMP_DESCRIPTOR_ERROR_TABLE);
    table.words[size_at / 8]++;
    for (int at = 24; at < 40; at++)
        for (int bit = 0; bit < 8; bit++) {
            char *byte = &components[1][at];
            if (at > 28 && at < 32)
                continue; /* padding */
            *byte ^= 1 << bit;
            statictramp_descriptor_error error = statictramp_deep_copy(&of, &flang, 0, &copy);
            /* The genre may be that of a pointer or of data, the kind is not used, and no category but Struct has a table. */
            CHECK(error != OK || at <= 26);
            CHECK(error != OK || statictramp_deep_free(&copy, &flang, 0) == OK);
            CHECK(live == 0 || at <= 26);
            live = 0;
            *byte ^= 1 << bit;
        }
    *(void **)((char *)&of + 24) = NULL;
    CHECK(statictramp_deep_copy(&of, &flang, 0, &copy) == STATICTRAMP_DESCRIPTOR_ERROR_TABLE);
    CHECK(statictramp_deep_copy(a, NULL, 0, &copy) == STATICTRAMP_DESCRIPTOR_ERROR_NULL);
    CHECK(statictramp_deep_copy(a, &(statictramp_descriptor_runtime){0}, 0, &copy) == STATICTRAMP_DESCRIPTOR_ERROR_NULL);
    CHECK(statictramp_deep_copy(a, &flang, 2, &copy) == STATICTRAMP_DESCRIPTOR_ERROR_UNSUPPORTED);
    CHECK(live == 0);
    copied(a, b);
}

static void plain_arrays(void)
{
    static int numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    any_descriptor all;
    statictramp_descriptor *copy = &all.made;
    CFI_CDESC_T(1) array;
    CFI_index_t extents[] = {8};
    CFI_cdesc_t *of = (CFI_cdesc_t *)&array;
    CHECK(CFI_establish(of, numbers, CFI_attribute_other, CFI_type_int, 0, 1, extents) == CFI_SUCCESS);
    live = failing = 0;
    CHECK(statictramp_deep_copy(of, &flang, 0, copy) == OK && live == 1);
    CHECK(memcmp(all.header.base_addr, numbers, sizeof numbers) == 0);
    CHECK(statictramp_deep_free(copy, &flang, 0) == OK && live == 0);
    CHECK(statictramp_deep_free(of, &flang, 0) == STATICTRAMP_DESCRIPTOR_ERROR_UNLIKE);
    of->dim[0].extent = (ptrdiff_t)1 << 62;
    of->dim[0].sm = 0;
    CHECK(statictramp_deep_copy(of, &flang, 0, copy) == STATICTRAMP_DESCRIPTOR_ERROR_OVERFLOW && live == 0);
    of->dim[0].extent = (ptrdiff_t)1 << 60; /* more memory than there is */
    CHECK(statictramp_deep_copy(of, &flang, 0, copy) == STATICTRAMP_DESCRIPTOR_ERROR_RUNTIME && live == 0);
    of->dim[0].extent = -1;
    CHECK(statictramp_deep_copy(of, &flang, 0, copy) == STATICTRAMP_DESCRIPTOR_ERROR_EXTENT && live == 0);
    of->dim[0].extent = 8;
    of->dim[0].sm = 4;
    CHECK(statictramp_convert_descriptor(of, STATICTRAMP_DESCRIPTOR_LAYOUT_GFORTRAN, copy) == OK);
    CHECK(statictramp_deep_copy(copy, &flang, 0, copy) == STATICTRAMP_DESCRIPTOR_ERROR_VERSION && live == 0);
}

/* A descriptor of 15 dimensions and an addendum does not fit in a statictramp_descriptor. No call writes past its end. */
static void many_dimensions(void)
{
    struct { statictramp_descriptor made; unsigned char after[32]; } room;
    union { CFI_CDESC_T(15) of; uint64_t words[52]; } large;
    CFI_index_t extents[15];
    memset(&large, 0, sizeof large);
    for (int rank = 0; rank <= 15; rank++) {
        static char element;
        extents[rank > 0 ? rank - 1 : 0] = 1;
        CFI_cdesc_t *of = (CFI_cdesc_t *)&large.of;
        CHECK(CFI_establish(of, &element, CFI_attribute_other, CFI_type_struct, 1, rank, extents) == CFI_SUCCESS);
        for (int with_type = 0; with_type < 2; with_type++) {
            ((unsigned char *)of)[23] = with_type; /* flang has named it differently */
            memset(&room, 0x55, sizeof room);
            statictramp_descriptor_error error = statictramp_convert_descriptor(of, OTHER, &room.made);
            CHECK(error == (rank == 15 && with_type ? STATICTRAMP_DESCRIPTOR_ERROR_RANK : OK));
            for (size_t i = 0; i < sizeof room.after; i++)
                CHECK(room.after[i] == 0x55);
        }
    }
}

static int objects, owners;

/* Each array is freed once, even if several components point to it. */
static void owned(void *x, const int *count, void (*look)(void *))
{
    any_descriptor copy;
    live = failing = 0;
    CHECK(statictramp_deep_copy(x, &flang, targets, &copy.made) == OK && live >= *count);
    copy.header.attribute = CFI_attribute_pointer;
    look(&copy);
    copy.header.attribute = CFI_attribute_allocatable;
    CHECK(statictramp_deep_free(&copy, &flang, targets) == OK && live == 0 && !copy.header.base_addr);
    live = *count;
    CHECK(statictramp_deep_free(x, &flang, targets) == OK && live == 0 && !((CFI_cdesc_t *)x)->base_addr);
    owners++;
}

/* SELECT TYPE chooses the same block after a conversion to another layout and back. */
static void converted(void *x)
{
    static const int expected[] = {1, 2, 3, 4};
    statictramp_descriptor other, back;
    CHECK(statictramp_convert_descriptor(x, OTHER, &other) == OK);
    CHECK(statictramp_convert_descriptor(&other, OWN, &back) == OK);
    CHECK(which_(x) == expected[objects] && which_(&back) == expected[objects]);
    objects++;
}

static void repointed(void *x, void *y)
{
    statictramp_descriptor other, back;
    CHECK(statictramp_convert_descriptor(x, OTHER, &other) == OK);
    CHECK(statictramp_convert_descriptor(&other, OWN, &back) == OK);
    CHECK(statictramp_copy_back_descriptor(&back, y) == OK);
    objects++;
}

int main(void)
{
    for (const int *n = (const int[]){0, 1, 2, 100, 1000000, -1}; *n >= 0; n++)
        on_list_(n, copied);
    on_list_(&(int){3}, distorted);
    on_whole_(copied);
    on_section_(copied);
    targets = STATICTRAMP_TARGETS_COPIED;
    on_ring_(copied);
    on_list_(&(int){1000000}, copied);
    on_owners_(owned, look_at_owner_);
    CHECK(owners == 4);
    on_ring_in_section_(copied);
    on_anything_(copied);
    plain_arrays();
    many_dimensions();
    on_types_(converted, repointed);
    CHECK(objects == 5);
    return 0;
}
