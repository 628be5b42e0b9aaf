// Sorts places by their keys: `compare` gets the keys as its context.
package main

// #cgo LDFLAGS: -lstatictramp
// #include <stddef.h>
// #include <stdlib.h>
// typedef void (*function)(void);
// function statictramp_bind_signature(function callee, const void *context, const char *signature);
// ptrdiff_t statictramp_signature_error(const char *signature);
// int statictramp_free(function pointer);
// int compare(void *keys, void *a, void *b);
import "C"

import (
	"fmt"
	"os"
	"unsafe"
)

//export compare
func compare(keys, a, b unsafe.Pointer) C.int {
	table := (*[4]C.int)(keys)
	return table[*(*byte)(a)] - table[*(*byte)(b)]
}

func main() {
	signature, invalid := C.CString("i(pp)"), C.CString("i(p?)")
	keys := (*[4]C.int)(C.malloc(4 * C.sizeof_int)) // C must not keep a pointer to Go's memory
	for _, *keys = range [][4]C.int{{40, 3, 17, 9}, {1, 2, 3, 4}} {
		order := [4]byte{0, 1, 2, 3}
		callback := C.statictramp_bind_signature(C.function(C.compare), unsafe.Pointer(keys), signature)
		if callback == nil {
			os.Exit(1)
		}
		C.qsort(unsafe.Pointer(&order), 4, 1, (*[0]byte)(callback))
		C.statictramp_free(callback)
		fmt.Println(order[0], order[1], order[2], order[3])
	}
	if C.statictramp_bind_signature(C.function(C.compare), nil, invalid) == nil {
		fmt.Println("error at byte", C.statictramp_signature_error(invalid), "of i(p?)")
	}
}
