// A function whose trampolines are so far from the stack pointer that GCC for i686 stores their opcodes from registers.
extern void use(int (*)(void));

void host(int captured)
{
    struct {
        int all[64];
    } wide = {{captured}};
    int first(void) { return wide.all[3] += captured; }
    int second(void) { return wide.all[5] -= captured; }
    use(first);
    if (captured > 3)
        use(second);
}
