; may end with live trampolines
; The library's functions, declared with other types, as by code with an older header.

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare i32 @printf(ptr, ...)
declare i64 @statictramp_share(i64, i64)
declare void @_FortranAFreeTrampoline(i64)
@format = private constant [7 x i8] c"%d %d\0A\00"
@frame = global i32 6

define internal i32 @inner(ptr nest %chain) {
  %n = load i32, ptr %chain
  ret i32 %n
}

define internal i32 @call_it(ptr %f) noinline {
  %value = call i32 %f()
  ret i32 %value
}

define internal i32 @host(ptr %tuple) noinline {
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %tuple)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %value = call i32 @call_it(ptr %address)
  ret i32 %value
}

define internal i32 @own() {
  %tuple = alloca i32
  store i32 8, ptr %tuple
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %tuple)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %value = call i32 @call_it(ptr %address)
  ret i32 %value
}

define void @never() noinline {
  %one = call i64 @statictramp_share(i64 1, i64 2)
  call void @_FortranAFreeTrampoline(i64 %one)
  ret void
}

define i32 @main() {
  %one = call i32 @host(ptr @frame)
  %two = call i32 @own()
  %printed = call i32 (ptr, ...) @printf(ptr @format, i32 %one, i32 %two)
  ret i32 0
}
