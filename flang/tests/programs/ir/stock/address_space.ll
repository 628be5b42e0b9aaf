; may end with live trampolines
; A frame pointer cast to another address space and back: the pass does not track the frame's owner through that.

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare i32 @printf(ptr, ...)
@format = private constant [8 x i8] c"%d %ld\0A\00"

define internal i32 @inner(ptr nest %chain) {
  %n = load i32, ptr %chain
  ret i32 %n
}

define internal i32 @call_it(ptr %f) noinline {
  %value = call i32 %f()
  ret i32 %value
}

define internal i32 @sibling(ptr addrspace(1) %frame) noinline {
  %memory = alloca [32 x i8], align 8
  %chain = addrspacecast ptr addrspace(1) %frame to ptr
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %chain)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %value = call i32 @call_it(ptr %address)
  ret i32 %value
}

define i32 @main() {
  %tuple = alloca i32, align 8
  %behind = alloca i64, align 8
  store i64 7, ptr %behind
  store i32 3, ptr %tuple
  %cast = addrspacecast ptr %tuple to ptr addrspace(1)
  %value = call i32 @sibling(ptr addrspace(1) %cast)
  %still = load i64, ptr %behind
  %printed = call i32 (ptr, ...) @printf(ptr @format, i32 %value, i64 %still)
  ret i32 0
}
