// Names that code for Microsoft's runtime uses, and that mingw's runtime lacks.
        .globl  __chkstk
__chkstk:
        jmp     ___chkstk_ms            // does the same: touches rax bytes of the stack
        .globl  _fltused
        .set    _fltused, 0
