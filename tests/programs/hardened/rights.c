/* The exit status encodes what the system permits: 1, executable memory (with an argument, memory that is not executable); 2, to read
   /proc/self/maps; 4, to write the file WRITTEN; 8, to allocate 8 GiB. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
    (void)argv;
    FILE *maps = fopen("/proc/self/maps", "r"), *file = fopen(WRITTEN, "w");
    int rights = argc == 1 ? PROT_READ | PROT_WRITE | PROT_EXEC : PROT_READ;
    void *page = mmap(0, 4096, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return (page != MAP_FAILED) + 2 * (maps != 0) + 4 * (file != 0) + 8 * (malloc(8ul << 30) != 0);
}
