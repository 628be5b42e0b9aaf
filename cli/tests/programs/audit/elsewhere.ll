; A trampoline that code writes to memory that its caller provides, for any target.
declare void @llvm.init.trampoline(ptr, ptr, ptr)

define internal i32 @nested(ptr nest %chain, i32 %x) {
  %y = load i32, ptr %chain
  %sum = add i32 %x, %y
  ret i32 %sum
}

define void @make(ptr %room, ptr %variable) {
  call void @llvm.init.trampoline(ptr %room, ptr @nested, ptr %variable)
  ret void
}
