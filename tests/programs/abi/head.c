#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#define JOIN(a, b) a##_##b
#define JOINED(a, b) JOIN(a, b)
#define NAME(number) JOINED(PREFIX, number)
enum Wide { V0, V1, V2, V3 };
typedef void (*function)(void);
static void put(void *place, uint64_t low, uint64_t high, int size)
{
    uint64_t bits[4] = {low, high, high, low};
    memcpy(place, bits, size);
}
static int same(const void *place, uint64_t low, uint64_t high, int size)
{
    uint64_t bits[4] = {low, high, high, low};
    return memcmp(place, bits, size) == 0;
}
