// Calls the functions that the IR files define, and checks for live trampolines.

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

extern "C" {
size_t statictramp_live(void);
typedef void (*statictramp_fn)(void);
int statictramp_free(statictramp_fn);
int host(int n);
int (*take(int *frame))(void);
int (*take_global(void))(void);
int frames_in_a_loop(int count, int (*caller)(int (*)(void)));
int ends_in_tail_call(int n, int (*caller)(int (*)(void)));
int optimized(int n);

int times_seen, cleanups;
bool throwing;
void seen(int n) { times_seen += n; }
void cleanup() { cleanups++; }
void call_it(void (*f)(void))
{
    f();
    if (throwing)
        throw 5;
}
int live_now(int value, int (*)(int (*)(void))) { return 1000 * (int)statictramp_live() + value; }
}

static int call(int (*f)(void)) { return f(); }

static void check(bool holds, const char *what)
{
    if (!holds) {
        std::printf("wrong: %s (%zu live)\n", what, statictramp_live());
        std::exit(1);
    }
}

int main()
{
    check(host(0) == -1 && statictramp_live() == 0, "an early return");
    check(host(3) == 3 && statictramp_live() == 0, "a normal return");
    throwing = true;
    for (int i = 0; i < 5000; i++) {
        try {
            host(2);
            check(false, "nothing was thrown");
        } catch (int n) {
            check(n == 5, "what was thrown");
        }
    }
    check(cleanups == 5000 && times_seen == 10003 && statictramp_live() == 0, "5,000 exceptions");

    int *one = new int(1), *two = new int(2);
    auto first = take(one), second = take(two);
    check(first != second && first() == 1 && second() == 2, "two frames on the heap");
    *one = 11;
    check(first() == 11, "a frame that changes");
    for (int i = 0; i < 10000; i++)
        check(take(one) == first, "the same frame again");
    auto third = take_global();
    check(third() == 77 && take_global() == third && statictramp_live() == 3, "a global frame");
    for (auto address : {first, second, third})
        check(statictramp_free(reinterpret_cast<statictramp_fn>(address)) == 0, "they are freed by nobody else");

    check(frames_in_a_loop(100, call) == 4950, "a frame for each round");
    size_t before = statictramp_live();
    check(ends_in_tail_call(6, call) == 6 + 1000 * (int)before, "a tail call");
    check(optimized(9) == 9 && statictramp_live() == before, "an optimized host");
    std::printf("returns, exceptions, tail calls and foreign frames: each trampoline is freed when it must be, or late\n");
}
