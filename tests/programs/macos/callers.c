/* Function pointers as a C program uses them. clang passes the arguments by the target's calling convention. */

/* core is built to unwind; no code here throws. */
void rust_eh_personality(void) {}

typedef struct {
    double x;
    unsigned long words[4];
} large;

int call_number(int (*f)(int), int x) { return f(x); }

double call_floats(double (*f)(double, signed char, float, long, double, float))
{
    return f(1, -2, 0.25f, 4000000000, -2, 0.125f);
}

double call_mixed(large (*f)(signed char, unsigned short, int, large, float))
{
    large passed = {0, {1, 2, 3, 4}}, got = f(-1, 65535, -70000, passed, 0.25f);
    return got.x + 1 + (double)(got.words[0] * 1000 + got.words[1] * 100 + got.words[2] * 10 + got.words[3]);
}

/* More than fit in registers. */
double call_many(double (*f)(double, large, double, double, float, double, double, double, double, long, int, long, short,
                             long, long, signed char))
{
    large passed = {-1, {1, 2, 3, 4}};
    return f(1, passed, 2, 3, 0.25f, 5, 6, 7, 8, 1L << 40, -2, 3, -4, 5, 6, -7);
}

long call_six(long (*f)(signed char, short, int, long, unsigned char, unsigned short))
{
    return f(-1, -2, -3, 1L << 40, 255, 65535);
}

_Bool call_variadic(long double (*f)(double, long double, ...))
{
    long double third = 1.0L / 3, got = f(1.5, third, -7);
    for (unsigned i = 0; i < (__LDBL_MANT_DIG__ == 64 ? 10 : sizeof got); i++) {
        if (((unsigned char *)&got)[i] != ((unsigned char *)&third)[i]) {
            return 0;
        }
    }
    return 1;
}
