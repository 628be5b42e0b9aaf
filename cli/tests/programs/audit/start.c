int __stdcall start(void) { return 0; }
