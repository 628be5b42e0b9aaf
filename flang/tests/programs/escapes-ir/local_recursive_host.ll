; escapes: 'callback' escapes: it is stored in an argument
; A host that only its own file calls gets a pointer of its own outer invocation, and sets it.
declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
define internal i32 @callback(ptr nest %tuple) {
  %n = load ptr, ptr %tuple
  %value = load i32, ptr %n
  ret i32 %value
}
define internal i32 @host(ptr %n, ptr %to, i1 %outer) {
  %tuple = alloca { ptr }
  %memory = alloca [32 x i8]
  %own = alloca ptr
  store ptr %n, ptr %tuple
  br i1 %outer, label %again, label %set
again:
  %none = call i32 @host(ptr %n, ptr %own, i1 false)
  %kept = load ptr, ptr %own
  %late = call i32 %kept()
  ret i32 %late
set:
  call void @llvm.init.trampoline(ptr %memory, ptr @callback, ptr %tuple)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  store ptr %address, ptr %to
  ret i32 0
}
define i32 @main() {
  %n = alloca i32
  store i32 5, ptr %n
  %to = alloca ptr
  %result = call i32 @host(ptr %n, ptr %to, i1 true)
  ret i32 %result
}
