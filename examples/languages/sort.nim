# Sorts places by their keys: `compare` gets the keys as its context.
proc bindSignature(callee, context: pointer, signature: cstring): pointer {.importc: "statictramp_bind_signature".}
proc signatureError(signature: cstring): int {.importc: "statictramp_signature_error".}
proc free(callback: pointer): cint {.importc: "statictramp_free".}
proc qsort(base: pointer, count, size: csize_t, compare: pointer) {.importc, header: "<stdlib.h>".}

type Keys = array[4, cint]

proc compare(keys: ptr Keys, a, b: ptr uint8): cint {.cdecl.} = keys[a[]] - keys[b[]]

var tables = [[40.cint, 3, 17, 9], [1.cint, 2, 3, 4]]
for keys in tables.mitems:
  var order = [0'u8, 1, 2, 3]
  let callback = bindSignature(compare, addr keys, "i(pp)")
  if callback == nil:
    quit "no trampoline"
  qsort(addr order, 4, 1, callback)
  discard free(callback)
  echo order[0], " ", order[1], " ", order[2], " ", order[3]
if bindSignature(compare, nil, "i(p?)") == nil:
  echo "error at byte ", signatureError("i(p?)"), " of i(p?)"
