/* The functions of a heap that never reuses memory, from `take`, which stores a block's size before the block and aligns it to 64
   bytes. The program that includes this file defines `take` and `free`. */

void *malloc(size_t size) { return take(size); }
void *calloc(size_t count, size_t size) { return take(count * size); }
void *memalign(size_t alignment, size_t size) { CHECK(alignment <= 64); return take(size); }
void *aligned_alloc(size_t alignment, size_t size) { CHECK(alignment <= 64); return take(size); }
int posix_memalign(void **memory, size_t alignment, size_t size) { CHECK(alignment <= 64); *memory = take(size); return 0; }
void *realloc(void *old, size_t size)
{
    void *new = take(size);
    size_t old_size = 0;
    if (old)
        memcpy(&old_size, (char *)old - sizeof old_size, sizeof old_size);
    return old ? memcpy(new, old, old_size < size ? old_size : size) : new;
}
