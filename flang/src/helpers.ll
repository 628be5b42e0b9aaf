; What stands in the place of llvm.init.trampoline and llvm.adjust.trampoline. It is linked into each module that has
; any. (declare: what the run-time library has.)
;
; While a module is optimized these are functions that write a cell, and what no module has: so that calls by way of a
; trampoline can still be made direct, and a trampoline that is not needed be dropped. Then they are inlined, and
; nothing is said of what they do.
;
; A cell belongs to one internal procedure in one invocation of its host. It has two words, both null until the
; procedure's address is first needed: the trampoline's handle, and the address to call. Where it was asked for, memory
; for code follows, which the library may use if it has no trampoline left; else %scratch is null.

declare nonnull ptr @_FortranAInitTrampoline(ptr, ptr, ptr) nounwind
declare nonnull ptr @_FortranAAdjustTrampoline(ptr) nounwind
declare void @_FortranAFreeTrampoline(ptr) nounwind

; The address to call. Only the host itself has this cell.
define linkonce_odr hidden ptr @statictramp.take(ptr nocapture %cell, ptr readnone %callee, ptr readnone %chain, ptr %scratch) #0 {
entry:
  %place = getelementptr ptr, ptr %cell, i64 1
  %there = load ptr, ptr %place, align 8
  %is_there = icmp ne ptr %there, null
  br i1 %is_there, label %done, label %make

make:
  %handle = call ptr @_FortranAInitTrampoline(ptr %scratch, ptr %callee, ptr %chain)
  %address = call ptr @_FortranAAdjustTrampoline(ptr %handle)
  store ptr %handle, ptr %cell, align 8
  store ptr %address, ptr %place, align 8
  br label %done

done:
  %result = phi ptr [ %there, %entry ], [ %address, %make ]
  ret ptr %result
}

; As above, where other procedures of the host have the cell too, which may run in threads of a parallel region.
; Whoever finds null makes a trampoline; the first to publish its address, releasing what it made, has made it for all,
; who acquire it. The handle is read by the host when those threads have joined it.
define linkonce_odr hidden ptr @statictramp.take.shared(ptr nocapture %cell, ptr readnone %callee, ptr readnone %chain, ptr %scratch) #0 {
entry:
  %place = getelementptr ptr, ptr %cell, i64 1
  %there = load atomic ptr, ptr %place acquire, align 8
  %is_there = icmp ne ptr %there, null
  br i1 %is_there, label %done, label %make

make:
  %handle = call ptr @_FortranAInitTrampoline(ptr %scratch, ptr %callee, ptr %chain)
  %address = call ptr @_FortranAAdjustTrampoline(ptr %handle)
  %exchange = cmpxchg ptr %place, ptr null, ptr %address acq_rel acquire, align 8
  %first = extractvalue { ptr, i1 } %exchange, 1
  br i1 %first, label %keep, label %drop

keep:
  store ptr %handle, ptr %cell, align 8
  br label %done

drop:
  %other = extractvalue { ptr, i1 } %exchange, 0
  %is_same = icmp eq ptr %other, %address ; both wrote the same code to %scratch
  br i1 %is_same, label %done, label %free

free:
  call void @_FortranAFreeTrampoline(ptr %handle)
  br label %done

done:
  %result = phi ptr [ %there, %entry ], [ %address, %keep ], [ %address, %drop ], [ %other, %free ]
  ret ptr %result
}

; At an exit of the host.
define linkonce_odr hidden void @statictramp.end(ptr nocapture %cell) #0 {
entry:
  %handle = load ptr, ptr %cell, align 8
  %is_made = icmp ne ptr %handle, null
  br i1 %is_made, label %free, label %done

free:
  call void @_FortranAFreeTrampoline(ptr %handle)
  br label %done

done:
  ret void
}

attributes #0 = { noinline nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) }
