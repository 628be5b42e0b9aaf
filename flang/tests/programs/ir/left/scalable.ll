; rewritten
; Frames whose size, and steps whose length, are known only at run time.

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare void @elsewhere(ptr)

define internal i32 @inner(ptr nest %chain) {
  %n = load i32, ptr %chain
  ret i32 %n
}

define internal void @sibling(ptr %tuple) {
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %tuple)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  call void @elsewhere(ptr %address)
  ret void
}

define void @host() {
  %tuple = alloca <vscale x 4 x i32>
  store i32 1, ptr %tuple
  call void @sibling(ptr %tuple)
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %tuple)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  call void @elsewhere(ptr %address)
  ret void
}

define void @steps(ptr %frames) {
  %variable = alloca [8 x i32]
  %tuple = getelementptr <vscale x 4 x i32>, ptr %variable, i64 1
  call void @sibling(ptr %tuple)
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %tuple)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  call void @elsewhere(ptr %address)
  ret void
}
