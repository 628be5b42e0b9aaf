; may end with live trampolines
; A program with its own __kmpc_fork_call, which passes the region a different record from the one that it gets.

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare i32 @printf(ptr, ...)
@format = private constant [8 x i8] c"%d %ld\0A\00"
@other = global { i32, i32, i64, i64, i64 } { i32 2, i32 0, i64 7, i64 7, i64 7 }
@record = global { ptr } { ptr @other }
@result = global i32 0

define internal i32 @inner(ptr nest %chain) {
  %n = load i32, ptr %chain
  ret i32 %n
}

define internal i32 @call_it(ptr %f) noinline {
  %value = call i32 %f()
  ret i32 %value
}

define internal void @region(ptr %thread, ptr %bound, ptr %record) noinline {
  %memory = alloca [32 x i8], align 8
  %chain = load ptr, ptr %record
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %chain)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %value = call i32 @call_it(ptr %address)
  store i32 %value, ptr @result
  ret void
}

define void @__kmpc_fork_call(ptr %where, i32 %count, ptr %region, ...) noinline {
  call void %region(ptr null, ptr null, ptr @record)
  ret void
}

define i32 @main() {
  %tuple = alloca i32, align 8
  %record = alloca { ptr }, align 8
  store i32 1, ptr %tuple
  store ptr %tuple, ptr %record
  call void (ptr, i32, ptr, ...) @__kmpc_fork_call(ptr null, i32 1, ptr @region, ptr %record)
  %value = load i32, ptr @result
  %place = getelementptr { i32, i32, i64, i64, i64 }, ptr @other, i64 0, i32 2
  %behind = load i64, ptr %place
  %printed = call i32 (ptr, ...) @printf(ptr @format, i32 %value, i64 %behind)
  ret i32 0
}
