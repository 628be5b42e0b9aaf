/* Links functions of library.c. With -DALL it links all but `unused`. With -DUNWIND it counts the frames above `shared`.
   With -DALONE it is a program for i386 without a C library. */
int first(int), second(int), pair_one(void), pair_two(void);
const char *name_of_table(void);
void (*walk)(void);

#ifdef UNWIND
#include <unwind.h>
void *_Unwind_FindEnclosingFunction(void *);
static int frames;
static _Unwind_Reason_Code frame(struct _Unwind_Context *context, void *data)
{
    (void)data;
    frames += _Unwind_FindEnclosingFunction((void *)_Unwind_GetIP(context)) != 0;
    return _URC_NO_REASON;
}
static void count_frames(void) { frames = 0, _Unwind_Backtrace(frame, 0); }
static int unwinds(void)
{
    walk = count_frames;
    first(1);
    int least = frames; /* shared, first, unwinds, main and the C library's */
    second(1);
    walk = 0;
    return least >= 4 && frames == least + 1; /* only_second */
}
#else
static int unwinds(void) { return 1; }
#endif

#ifdef ALL
static int others(void) { return second(1) == 302 && pair_one() + pair_two() == 3 && name_of_table()[0] == 't'; }
#else
static int others(void) { return 1; }
#endif

int main(void) { return !(first(2) == 12 && others() && unwinds()); }

#ifdef ALONE
__attribute__((force_align_arg_pointer)) void _start(void)
{
    __asm__ volatile("int $0x80" : : "a"(1), "b"(main()));
}
#endif
