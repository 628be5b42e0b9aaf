/* Calls the closures in src/lib.rs. The argument is the number of the case. */
#include <stdint.h>
#include <stdlib.h>

int run(int number);

int apply(int (*f)(int), int x) { return f(x); }
uint64_t apply_wide(uint64_t (*f)(uint64_t), uint64_t x) { return f(x); }
int c_function(int x) { return x; }

int main(int count, char **words) { return count == 2 ? run(atoi(words[1])) : 2; }
