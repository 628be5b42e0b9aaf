// Two visible functions, the first of which is in a section of its own. Both call a hidden function.
__attribute__((visibility("default"), section(".text.a"))) int first(void) { return 1; }
extern int inner(int);
__attribute__((visibility("default"))) int second(int x) { return inner(x); }
