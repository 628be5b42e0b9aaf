; rewritten
; No code may be inserted between a call that gives the frame to an interpreter and its return.

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare void @elsewhere(ptr)
declare i32 @llvm.experimental.deoptimize.i32(...)

define internal i32 @inner(ptr nest %chain) {
  %n = load i32, ptr %chain
  ret i32 %n
}

define i32 @host(i1 %which) {
  %tuple = alloca i32
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %tuple)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  call void @elsewhere(ptr %address)
  br i1 %which, label %leaves, label %stays
leaves:
  %value = call i32 (...) @llvm.experimental.deoptimize.i32(i32 5) [ "deopt"(i32 1) ]
  ret i32 %value
stays:
  ret i32 0
}
