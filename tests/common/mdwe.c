/* mdwe COMMAND...: runs a command in a process that can never map memory writable and executable, nor make
   writable memory executable (PR_SET_MDWE, Linux 6.3). Exits with status 3 if the kernel does not support this. */

#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: mdwe COMMAND...\n", stderr);
        return 2;
    }
    if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0) {
        perror("mdwe: PR_SET_MDWE");
        return errno == EINVAL ? 3 : 1;
    }
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
}
