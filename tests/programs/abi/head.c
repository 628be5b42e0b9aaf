#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#define JOIN(a, b) a##_##b
#define JOINED(a, b) JOIN(a, b)
#define NAME(number) JOINED(PREFIX, number)
enum Wide { V0, V1, V2, V3 };
typedef void (*function)(void);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ /* no type is larger than 16 bytes there */
#define BITS(low, high, size) ((const char *)(const uint64_t[]){high, low} + 16 - size)
#else
#define BITS(low, high, size) (const uint64_t[]){low, high, high, low}
#endif
static void put(void *value, uint64_t low, uint64_t high, int size) { memcpy(value, BITS(low, high, size), size); }
static int same(const void *value, uint64_t low, uint64_t high, int size) { return memcmp(value, BITS(low, high, size), size) == 0; }
