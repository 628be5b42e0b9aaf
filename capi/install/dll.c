/* statictramp.dll stays loaded until the process ends, as the shared library does elsewhere (-z nodelete): whoever frees it, a
   trampoline still leads to its callee, or to the line that says that it is dead. */

#include <windows.h>

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, LPVOID reserved)
{
    HMODULE pinned;
    (void)reserved;
    return reason != DLL_PROCESS_ATTACH ||
           GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN, (LPCWSTR)(void *)self, &pinned);
}
