; ; A procedure that expects its static chain in the register that LLVM's `nest` uses. Since version 21 it is a different register
; on AArch64.

define i64 @nested(ptr nest %chain, i64 %x, double %y) noinline {
  %n = load i64, ptr %chain
  %sum = add i64 %n, %x
  %whole = fptosi double %y to i64
  %all = add i64 %sum, %whole
  ret i64 %all
}
