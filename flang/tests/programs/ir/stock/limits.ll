; Attributes from an optimizer or a front end for functions outside the bookkeeping of trampolines, which were correct:
; siblings that only read the tuple that they get, and have no other effect. 30,000 hosts leave no slot.

declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare i32 @printf(ptr, ...)
@format = private constant [5 x i8] c"%ld\0A\00"

%tuple = type { i32, i32 }

define internal i32 @inner(ptr nest readonly noalias nocapture %chain) noinline memory(argmem: read) nosync nofree willreturn norecurse nounwind {
  %n = load i32, ptr %chain
  ret i32 %n
}

; This function is opaque to the optimizer, and its attributes are correct for the arguments here.
define internal i32 @call_it(ptr %f) noinline optnone memory(read) nounwind {
  %value = call i32 %f() memory(read) nounwind
  ret i32 %value
}

define internal i32 @sibling(i32 %k, ptr readonly noalias nocapture dereferenceable(8) %frame) noinline memory(argmem: read) nosync nofree willreturn norecurse nounwind {
  %memory = alloca [32 x i8], align 8
  call void @llvm.init.trampoline(ptr %memory, ptr @inner, ptr %frame)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  %value = call i32 @call_it(ptr %address) memory(read)
  %sum = add i32 %value, %k
  ret i32 %sum
}

define internal i32 @further(i32 %k, ptr readonly noalias nocapture %frame) noinline memory(argmem: read) nosync nofree willreturn nounwind {
  %value = call i32 @sibling(i32 %k, ptr readonly noalias nocapture %frame) memory(argmem: read) nosync nounwind
  ret i32 %value
}


define internal i32 @host(i32 %n) noinline memory(none) nosync nofree willreturn nounwind {
  %frame = alloca %tuple, align 8
  store i32 %n, ptr %frame
  %second = getelementptr %tuple, ptr %frame, i64 0, i32 1
  store i32 1, ptr %second
  %one = call i32 @further(i32 1, ptr readonly noalias nocapture %frame) memory(argmem: read) nosync nofree nounwind, !alias.scope !1
  %two = call i32 @further(i32 2, ptr readonly noalias nocapture %frame) memory(argmem: read) nosync nofree nounwind, !noalias !1
  %sum = add i32 %one, %two
  ret i32 %sum
}

define i32 @main() {
entry:
  br label %round
round:
  %i = phi i32 [ 0, %entry ], [ %next, %round ]
  %sum = phi i64 [ 0, %entry ], [ %new, %round ]
  %value = call i32 @host(i32 %i) memory(none) nosync nofree willreturn nounwind
  %wide = sext i32 %value to i64
  %new = add i64 %sum, %wide
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 30000
  br i1 %more, label %round, label %done
done:
  %printed = call i32 (ptr, ...) @printf(ptr @format, i64 %new)
  ret i32 0
}

!0 = distinct !{!0}
!1 = !{!2}
!2 = distinct !{!2, !0}
