/* A program's own critical sections, in a separate archive. Their different names distinguish them from those of the library. */

_Bool own_acquire(void)
{
#if defined(__arm__)
    unsigned masked;
    __asm__ volatile("mrs %0, PRIMASK\n cpsid i" : "=r"(masked)::"memory");
    return masked;
#else
    unsigned long before;
    __asm__ volatile("csrrci %0, mstatus, 8" : "=r"(before)::"memory");
    return (before & 8) != 0;
#endif
}

void own_release(_Bool before)
{
#if defined(__arm__)
    __asm__ volatile("msr PRIMASK, %0" ::"r"(before) : "memory");
#else
    __asm__ volatile("csrs mstatus, %0" ::"r"(before << 3) : "memory");
#endif
}

_Bool _critical_section_1_0_acquire(void) __attribute__((alias("own_acquire")));
void _critical_section_1_0_release(_Bool before) __attribute__((alias("own_release")));
