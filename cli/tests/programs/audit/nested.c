/* A nested function whose address is taken, for which the compiler writes a trampoline. */
#ifndef CONVENTION
#define CONVENTION
#endif

#ifdef WITHOUT_MAIN
int apply(int (CONVENTION *f)(int), int x);
#else
__attribute__((noinline)) int apply(int (CONVENTION *f)(int), int x) { return f(x); }
#endif

__attribute__((noinline)) int host(int y)
{
    int CONVENTION nested(int x) { return x + y; }
    return apply(nested, 1);
}

#ifndef WITHOUT_MAIN
int main(void)
{
    return host(41) != 42;
}
#endif
