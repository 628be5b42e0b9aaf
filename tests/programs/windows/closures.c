#include <stdio.h>
int windows_closures(void);
int main(void)
{
    printf("%d closures were called\n", windows_closures());
    return 0;
}
