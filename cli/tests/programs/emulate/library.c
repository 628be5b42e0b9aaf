/* A library with a nested function. NAME is the library's function, and BESIDE is a function of another
 * library that it needs. */
int counter;
__attribute__((noipa)) static int apply(int (*f)(int), int x) { return f(x); }
#ifdef BESIDE
int BESIDE(int);
#else
#define BESIDE(x) (x)
#endif
int NAME(int y)
{
    int nested(int x) { counter++; return BESIDE(x) + y; }
    return apply(nested, 1);
}
