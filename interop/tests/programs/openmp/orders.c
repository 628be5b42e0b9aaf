/* Tables sorted by unsigned and by signed host addresses, in the two variables. Linked with statictramp_device.c or with the
   library, whose lookups must both find every key, and no other. */
#include <stdint.h>
#include "../../../../tests/common/check.h"

struct pair {
    int64_t host, target;
};
extern struct pair *__omp_offloading_fptr_map_p;
extern uint64_t __omp_offloading_fptr_map_size;
extern void *__kmpc_target_translate_fptr(void *host);

#define LOW INT64_MIN
static struct pair as_signed[] = {{LOW, 1}, {LOW + 16, 2}, {-8, 3}, {8, 4}, {64, 5}, {INT64_MAX - 7, 6}};
static struct pair as_unsigned[] = {{8, 4}, {64, 5}, {INT64_MAX - 7, 6}, {LOW, 1}, {LOW + 16, 2}, {-8, 3}};

static void look_up(struct pair *table, uint64_t count)
{
    __omp_offloading_fptr_map_p = table;
    __omp_offloading_fptr_map_size = count;
    for (uint64_t i = 0; i < 6; i++) {
        int64_t host = table[i].host, found = i < count ? table[i].target : host;
        CHECK((int64_t)__kmpc_target_translate_fptr((void *)host) == found);
        CHECK((int64_t)__kmpc_target_translate_fptr((void *)(host + 1)) == host + 1);
    }
}

int main(void)
{
    for (uint64_t count = 0; count <= 6; count++) {
        look_up(as_signed, count);
        look_up(as_unsigned, count);
    }
    return 0;
}
