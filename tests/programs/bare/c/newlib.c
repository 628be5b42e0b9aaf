/* Tests newlib with its own linker script, in which the heap begins after the zeroed
 * data. Also tests a callee that takes a va_list. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "statictramp.h"

void _start(void);
__attribute__((section(".vectors"), used)) const void *const vectors[2] = {(void *)0x3f0000, _start};

struct order {
    const int *keys;
    int sign;
};

static int compare(const struct order *order, const unsigned char *a, const unsigned char *b)
{
    return order->sign * (order->keys[*a] - order->keys[*b]);
}
/* A comparator as qsort calls it. The context is passed in the third register. */
static int by_key(const void *a, const void *b, struct order *order) { return compare(order, a, b); }

struct sink {
    char text[40];
};
static void put(struct sink *sink, int level, const char *format, va_list arguments)
{
    int length = snprintf(sink->text, 10, "%d ", level);
    vsnprintf(sink->text + length, 30, format, arguments);
}
static void print(void (*logger)(int, const char *, va_list), int level, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    logger(level, format, arguments);
    va_end(arguments);
}
static int logs(void)
{
    struct sink sink = {""};
    statictramp_fn t = STATICTRAMP_BIND(put, &sink, void, int, const char *, va_list);
    if (!t)
        return 1;
    print((void (*)(int, const char *, va_list))t, 3, "%s %d %c %u", "a line", -7, 'x', 9u);
    puts(sink.text);
    return statictramp_free(t);
}

int main(void)
{
    static const int keys[4] = {5, 3, 9, 1};
    struct order order = {keys, -1};
    unsigned char list[4] = {0, 1, 2, 3};
    statictramp_fn t = statictramp_bind((statictramp_fn)by_key, &order, 2);
    char *heap = malloc(100000);
    if (!t || !heap)
        return 1;
    memset(heap, 0xef, 100000);
    qsort(list, 4, 1, (int (*)(const void *, const void *))t);
    printf("sorted by a context beside a heap: %d %d %d %d\n", list[0], list[1], list[2], list[3]);
    free(heap);
    return statictramp_free(t) || logs();
}
