// Tests whether the kernel denies this program writable and executable memory.
#include <sys/mman.h>
int main(void)
{
    return mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}
