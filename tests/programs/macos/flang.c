/* The C part of internal.f90's test: calls the procedures, and checks for live trampolines after the hosts have
   returned. */

#include "statictramp.h"

int summed(int n, int scale);
int knuth(int k);
double pointed(double x);

void each_(void (*f)(int *), int *n)
{
    for (int i = 1; i <= *n; i++)
        f(&i);
}

double call_mixed_(double (**p)(int, double, long, double)) { return (*p)(-1, 2.5, 1L << 40, -0.5); }

int internal(void)
{
    if (summed(100, 3) != 15150)
        return __LINE__;
    if (knuth(10) != -67)
        return __LINE__;
    if (pointed(0.5) != 0.5 * (1 + (double)(1L << 40)))
        return __LINE__;
    return statictramp_live() == 0 ? 0 : __LINE__;
}

/* The negative control, for the compiler's own trampolines on the stack. */
int on_stack(void) { return summed(100, 3) == 15150 ? 0 : __LINE__; }
