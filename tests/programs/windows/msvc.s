// What code for Microsoft's runtime names, and mingw's does not have by these names.
        .globl  __chkstk
__chkstk:
        jmp     ___chkstk_ms            // the same: touches rax bytes of the stack
        .globl  _fltused
        .set    _fltused, 0
