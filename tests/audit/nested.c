/* A nested function whose address is taken: a trampoline. */
#ifdef WITHOUT_MAIN
int apply(int (*f)(int), int x);
#else
__attribute__((noinline)) int apply(int (*f)(int), int x) { return f(x); }
#endif

__attribute__((noinline)) int host(int y)
{
    int nested(int x) { return x + y; }
    return apply(nested, 1);
}

#ifndef WITHOUT_MAIN
int main(void)
{
    return host(41) != 42;
}
#endif
