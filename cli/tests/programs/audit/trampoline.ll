; LLVM's trampoline intrinsics, for any target.
declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare i32 @apply(ptr, i32)

define internal i32 @nested(ptr nest %chain, i32 %x) {
  %y = load i32, ptr %chain
  %sum = add i32 %x, %y
  ret i32 %sum
}

define i32 @host(i32 %y) {
  %variable = alloca i32
  %room = alloca [64 x i8], align 16
  store i32 %y, ptr %variable
  call void @llvm.init.trampoline(ptr %room, ptr @nested, ptr %variable)
  %f = call ptr @llvm.adjust.trampoline(ptr %room)
  %result = call i32 @apply(ptr %f, i32 1)
  ret i32 %result
}
