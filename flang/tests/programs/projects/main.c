/* The C program of the sample projects. */
int host(int local);

int main(void) { return host(41) != 42; }
