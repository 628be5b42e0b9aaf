; may end with live trampolines
; A parameter that is a copy of the caller's variable: an address taken there has the copy as its chain, and the
; memory after the copy must not be written.

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare i32 @printf(ptr, ...)
@format = private constant [9 x i8] c"%d %d %d\00"

define internal i32 @inner(ptr nest %chain) {
  %n = load i32, ptr %chain
  ret i32 %n
}

define internal i32 @call_it(ptr %f) noinline {
  %value = call i32 %f()
  ret i32 %value
}

define internal i32 @of_a_copy({ i32, i32 } %dummy, ptr byval({ i32, i32 }) align 8 %copy, ptr byval([4 x i64]) align 8 %behind) noinline {
  %memory = alloca [32 x i8], align 8
  store i32 9, ptr %copy
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %copy)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %value = call i32 @call_it(ptr %address)
  %first = load i64, ptr %behind
  %first32 = trunc i64 %first to i32
  %sum = add i32 %value, %first32
  ret i32 %sum
}

define i32 @main() {
  %tuple = alloca { i32, i32 }, align 8
  %behind = alloca [4 x i64], align 8
  store i32 5, ptr %tuple
  store i64 100, ptr %behind
  %one = call i32 @of_a_copy({ i32, i32 } zeroinitializer, ptr byval({ i32, i32 }) align 8 %tuple, ptr byval([4 x i64]) align 8 %behind)
  %two = call i32 @of_a_copy({ i32, i32 } zeroinitializer, ptr byval({ i32, i32 }) align 8 %tuple, ptr byval([4 x i64]) align 8 %behind)
  %still = load i32, ptr %tuple
  %printed = call i32 (ptr, ...) @printf(ptr @format, i32 %one, i32 %two, i32 %still)
  ret i32 0
}
