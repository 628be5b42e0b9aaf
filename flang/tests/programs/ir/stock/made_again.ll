; A function that gets the memory, through a record, creates another trampoline there before the address is taken.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
@.str = private constant [4 x i8] c"%d\0A\00"
declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare i32 @printf(ptr, ...)
define internal i32 @one(ptr nest %chain) {
  %v = load i32, ptr %chain
  ret i32 %v
}
define internal i32 @two(ptr nest %chain) {
  %v = load i32, ptr %chain
  %w = add i32 %v, 1
  ret i32 %w
}
define i32 @main() {
  %memory = alloca [32 x i8], align 16
  %tuple = alloca i32, align 8
  %record = alloca { ptr, ptr }, align 8
  store i32 1, ptr %tuple
  store ptr %memory, ptr %record
  %second = getelementptr i8, ptr %record, i64 8
  store ptr %tuple, ptr %second
  call void @llvm.init.trampoline(ptr %memory, ptr @one, ptr %tuple)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %r = call i32 %address()
  call i32 (ptr, ...) @printf(ptr @.str, i32 %r)
  ret i32 0
}
define internal void @region(ptr %record) noinline {
  %memory = load ptr, ptr %record
  %second = getelementptr i8, ptr %record, i64 8
  %tuple = load ptr, ptr %second
  call void @llvm.init.trampoline(ptr %memory, ptr @two, ptr %tuple)
  ret void
}
