#include "statictramp.h"
int main(void) { return (int)statictramp_live(); }
