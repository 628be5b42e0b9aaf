// The address of one variable in another needs a relative relocation.
static int one; int *address(void) { static int *it = &one; return it = it + 1; }
