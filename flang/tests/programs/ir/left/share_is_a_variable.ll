; left: the program defines "statictramp_share" itself
; The function that the rewritten code would call is a variable here.

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare void @elsewhere(ptr)
@statictramp_share = global i32 0

define internal i32 @inner(ptr nest %chain) {
  %n = load i32, ptr %chain
  ret i32 %n
}

define void @host(ptr %tuple) {
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %tuple)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  call void @elsewhere(ptr %address)
  ret void
}
