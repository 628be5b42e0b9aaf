/* A library that test `parts.rs` divides. `first` and `second` use the same local function, strings and variables; `second`
   also calls through a table. `pair_one` and `pair_two` are a part. `unused` is large.
   With -DSPLIT, `second` calls one function of that part. */

extern void (*walk)(void); /* the program's */

#ifdef ALONE
#define __thread
#endif
static __thread int calls;
static const char *volatile digits = "0123456789";
static int count;

static __attribute__((noinline)) int shared(int x)
{
    calls++;
    count += x;
    if (walk)
        walk();
    return digits[x] - '0' + digits[3] - '3';
}

static __attribute__((noinline)) int only_second(int x) { return shared(x) + 1; }
static int (*const table[])(int) = {shared, only_second};

int first(int x) { return shared(x) + 10 * calls; }
int pair_one(void) { return 1; }
#ifdef SPLIT
int second(int x) { return table[x & 1](x) + ((int (*volatile)(void))pair_one)(); }
#else
int second(int x) { return table[x & 1](x) + 100 * count; }
#endif
int pair_two(void) { return 2 + shared(0); }

static char memory[65536] = {1};
char *unused(void) { return memory; }

/* The symbols that each member with the table has. */
const char prefix_stubs[16] __attribute__((visibility("hidden"))) = "table";
const char prefix_mark[1] __attribute__((visibility("hidden"))) = "x"; /* which no function uses */
const char *name_of_table(void) { return prefix_stubs; }
