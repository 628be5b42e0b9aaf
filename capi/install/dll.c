/* statictramp.dll stays loaded until the process ends, like the shared library on other systems (-z nodelete): even
   after FreeLibrary, a trampoline still calls its callee, or prints the message that it is dead. */

#include <windows.h>

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, LPVOID reserved)
{
    HMODULE pinned;
    (void)reserved;
    return reason != DLL_PROCESS_ATTACH ||
           GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN, (LPCWSTR)(void *)self, &pinned);
}
