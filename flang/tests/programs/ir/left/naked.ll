; left: a naked function has no frame

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare void @elsewhere(ptr)

define internal i32 @inner(ptr nest %chain) {
  %n = load i32, ptr %chain
  ret i32 %n
}

define void @host() naked {
  call void asm sideeffect "ret", ""()
  unreachable
after:
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr null)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  call void @elsewhere(ptr %address)
  unreachable
}
