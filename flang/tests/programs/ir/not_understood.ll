; Each of these functions is left unchanged, with a warning that names the function and, if known, the line.

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare void @elsewhere(ptr)

define internal void @inner(ptr nest %chain) {
  ret void
}

define ptr @memory_of_caller(ptr %memory) {
  %frame = alloca i32
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %frame)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  ret ptr %address
}

define void @memory_passed_on() {
  %frame = alloca i32
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %frame)
  call void @elsewhere(ptr %memory)
  ret void
}

define void @coroutine() presplitcoroutine {
  %frame = alloca i32
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %frame)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  call void %address()
  ret void
}

define void @with_line() !dbg !4 {
  %frame = alloca i32
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %frame), !dbg !7
  call void @elsewhere(ptr %memory), !dbg !7
  ret void, !dbg !7
}

; This is a function that the pass understands.
define void @plain() {
  %frame = alloca i32
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %frame)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  call void @elsewhere(ptr %address)
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "other.f90", directory: ".")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "with_line", file: !1, line: 40, type: !5, unit: !0)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 42, column: 3, scope: !4)
