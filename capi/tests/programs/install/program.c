/* The first program of a new user. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <statictramp.h>

static int by_distance(const int *distance, const void *a, const void *b)
{
    return distance[*(const int *)a] - distance[*(const int *)b];
}

/* qsort passes two arguments, so the context is in the register of the third. */
static int compare(const void *a, const void *b, const void *distance) { return by_distance(distance, a, b); }

int main(void)
{
    int distance[] = {40, 3, 17, 9}, town[] = {0, 1, 2, 3};
    statictramp_fn nearer = statictramp_bind((statictramp_fn)compare, distance, 2);
    if (!nearer || statictramp_version() != STATICTRAMP_VERSION)
        return 1;
    qsort(town, 4, sizeof *town, (int (*)(const void *, const void *))nearer);
    statictramp_free(nearer);
    printf("%d %d %d %d\n", town[0], town[1], town[2], town[3]);
    return memcmp(town, (int[]){1, 3, 2, 0}, sizeof town) != 0;
}
