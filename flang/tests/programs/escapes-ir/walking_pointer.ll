; escapes: 'callback' escapes: it is stored in an argument
; Pointers that move around a loop, backward and forward, and one in an unreachable block.
declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
define internal i32 @callback(ptr nest %tuple) {
  %n = load ptr, ptr %tuple
  %value = load i32, ptr %n
  ret i32 %value
}
define void @host(ptr %n, ptr %table, i64 %count) {
entry:
  %tuple = alloca { ptr }
  %memory = alloca [32 x i8]
  %own = alloca [100 x { ptr, i64 }]
  store ptr %n, ptr %tuple
  call void @llvm.init.trampoline(ptr %memory, ptr @callback, ptr %tuple)
  %address = call ptr @llvm.adjust.trampoline(ptr %memory)
  br label %loop
loop:
  %to = phi ptr [ %own, %entry ], [ %next, %loop ]
  %back = phi ptr [ %own, %entry ], [ %before, %loop ]
  %left = phi i64 [ %count, %entry ], [ %less, %loop ]
  store ptr %address, ptr %to
  store ptr %to, ptr %back
  %next = getelementptr { ptr, i64 }, ptr %to, i64 1
  %before = getelementptr { ptr, i64 }, ptr %back, i64 -1
  %less = sub i64 %left, 1
  %more = icmp ne i64 %less, 0
  br i1 %more, label %loop, label %done
done:
  %entries = getelementptr { ptr, i64 }, ptr %own, i64 50
  %kept = load ptr, ptr %entries
  store ptr %kept, ptr %table
  ret void
dead:
  %self = getelementptr i8, ptr %self, i64 8
  store ptr %address, ptr %self
  br label %dead
}
