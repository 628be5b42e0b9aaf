; escapes: 'callback' escapes: region captures it
; The trampoline is created in the host, and its address is taken in a region that gets the memory.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
@kept = global ptr null
@ident = internal constant [24 x i8] zeroinitializer
declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare void @__kmpc_fork_call(ptr, i32, ptr, ...)
define internal i32 @callback(ptr nest %chain) {
  %p = load ptr, ptr %chain
  %v = load i32, ptr %p
  ret i32 %v
}
define void @host(ptr %n) {
  %memory = alloca [32 x i8], align 16
  %tuple = alloca { ptr }, align 8
  %record = alloca { ptr }, align 8
  store ptr %n, ptr %tuple
  call void @llvm.init.trampoline(ptr %memory, ptr @callback, ptr %tuple)
  store ptr %memory, ptr %record
  call void (ptr, i32, ptr, ...) @__kmpc_fork_call(ptr @ident, i32 1, ptr @region, ptr %record)
  ret void
}
define internal void @region(ptr %a, ptr %b, ptr %record) {
  %memory = load ptr, ptr %record
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  store ptr %address, ptr @kept
  ret void
}
