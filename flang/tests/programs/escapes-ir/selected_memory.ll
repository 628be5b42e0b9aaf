; escapes: 'callback' escapes: it is stored in 'kept'
; An optimizer has merged the memory of two trampolines, and the calls that turn them into addresses.
@kept = global ptr null
declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
define internal i32 @callback(ptr nest %tuple) {
  %value = load i32, ptr %tuple
  ret i32 %value
}
define void @host(ptr %n, i1 %which) {
  %tuple = alloca { ptr }
  %one = alloca [32 x i8]
  %other = alloca [32 x i8]
  store ptr %n, ptr %tuple
  call void @llvm.init.trampoline(ptr %one, ptr @callback, ptr %tuple)
  call void @llvm.init.trampoline(ptr %other, ptr @callback, ptr %tuple)
  %memory = select i1 %which, ptr %one, ptr %other
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  store ptr %address, ptr @kept
  ret void
}
