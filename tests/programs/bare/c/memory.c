/* Functions that compiled code calls even in a program without libc. Those in the archive are local. */

#include <stddef.h>

void *memset(void *to, int byte, size_t size)
{
    for (volatile unsigned char *p = to; size--; p++)
        *p = (unsigned char)byte;
    return to;
}

void *memcpy(void *to, const void *from, size_t size)
{
    volatile unsigned char *p = to;
    for (const unsigned char *q = from; size--; p++, q++)
        *p = *q;
    return to;
}
