/* A host with five nested functions, whose trampolines an optimizing compiler writes together. */
typedef int function(int);
int call(function *, function *, function *, function *, function *);

int host(int x, int y)
{
    int sum(int z) { return x + y + z; }
    int product(int z) { return x * y * z; }
    int difference(int z) { return x - y - z; }
    int either(int z) { return x | z; }
    int both(int z) { return y & z; }
    return call(sum, product, difference, either, both);
}
