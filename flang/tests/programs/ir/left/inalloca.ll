; rewritten
; A frame that is an argument of a call cannot be enlarged.

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare void @elsewhere(ptr)
declare void @consumes(ptr inalloca({ i32 }))

define internal i32 @inner(ptr nest %chain) {
  %n = load i32, ptr %chain
  ret i32 %n
}

define internal void @sibling(ptr inalloca({ i32 }) %tuple) {
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %tuple)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  call void @elsewhere(ptr %address)
  ret void
}

define internal void @by_pointer(ptr %tuple) {
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %tuple)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  call void @elsewhere(ptr %address)
  ret void
}

define void @host() {
  %tuple = alloca inalloca { i32 }
  store i32 1, ptr %tuple
  call void @by_pointer(ptr %tuple)
  call void @sibling(ptr inalloca({ i32 }) %tuple)
  ret void
}

define void @own() {
  %memory = alloca [32 x i8], align 8
  %tuple = alloca inalloca { i32 }
  store i32 1, ptr %tuple
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %tuple)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  call void @elsewhere(ptr %address)
  call void @consumes(ptr inalloca({ i32 }) %tuple)
  ret void
}
