/* Counts the calls that compiled code makes (linked with --wrap). */

void *__real__FortranAInitTrampoline(void *scratch, const void *callee, const void *chain);

static int count;

void *__wrap__FortranAInitTrampoline(void *scratch, const void *callee, const void *chain)
{
    count++;
    return __real__FortranAInitTrampoline(scratch, callee, chain);
}

int inits(void)
{
    return count;
}
