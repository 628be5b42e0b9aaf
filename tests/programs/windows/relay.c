/* Stands in for cargo and LLVM's tools under Wine, where cmd.exe cannot wait for a program of the system below. Writes its
   name, its working directory and its arguments, a line each, to the file that RELAY names, and waits until the shell that
   runs the actual tool (tests/legs/windows.sh) replaces that file by one with the exit status. */

#include <direct.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

int main(int count, char **words)
{
    char directory[1024], written[1024], answer[1024];
    const char *relay = getenv("RELAY");
    snprintf(written, sizeof written, "%s.written", relay);
    snprintf(answer, sizeof answer, "%s.answer", relay);
    FILE *file = fopen(written, "wb");
    if (!file || !_getcwd(directory, sizeof directory))
        return 1;
    fprintf(file, "%s\n%s\n", words[0], directory);
    for (int i = 1; i < count; i++)
        fprintf(file, "%s\n", words[i]);
    if (fclose(file) || !MoveFileA(written, relay))
        return 1;
    int status = 1;
    while (!(file = fopen(answer, "rb")))
        Sleep(50);
    if (fscanf(file, "%d", &status) != 1 || fclose(file) || remove(answer))
        return 1;
    return status;
}
