; A procedure that expects its static chain where LLVM's `nest` puts it: in another register on AArch64 since
; version 21.

define i64 @nested(ptr nest %chain, i64 %x, double %y) noinline {
  %n = load i64, ptr %chain
  %sum = add i64 %n, %x
  %whole = fptosi double %y to i64
  %all = add i64 %sum, %whole
  ret i64 %all
}
