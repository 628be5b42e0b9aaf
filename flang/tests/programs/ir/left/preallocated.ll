; rewritten
; A frame that is an argument of a call cannot be enlarged.

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare void @elsewhere(ptr)
declare token @llvm.call.preallocated.setup(i32)
declare ptr @llvm.call.preallocated.arg(token, i32)

define internal i32 @inner(ptr nest %chain) {
  %n = load i32, ptr %chain
  ret i32 %n
}

define internal void @sibling(ptr preallocated({ i32 }) %tuple) {
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %tuple)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  call void @elsewhere(ptr %address)
  ret void
}

define void @host() {
  %call = call token @llvm.call.preallocated.setup(i32 1)
  %tuple = call ptr @llvm.call.preallocated.arg(token %call, i32 0) preallocated({ i32 })
  store i32 1, ptr %tuple
  call void @sibling(ptr preallocated({ i32 }) %tuple) [ "preallocated"(token %call) ]
  ret void
}
