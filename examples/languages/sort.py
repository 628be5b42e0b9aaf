# Sorts places by their keys: `compare` gets the keys as its context.
import sys
from ctypes import CDLL, CFUNCTYPE, POINTER, c_char_p, c_int, c_size_t, c_ssize_t, c_ubyte, c_void_p, cast

library = CDLL(sys.argv[1])
library.statictramp_bind_signature.restype = c_void_p
library.statictramp_bind_signature.argtypes = [c_void_p, c_void_p, c_char_p]
library.statictramp_signature_error.restype = c_ssize_t
library.statictramp_free.argtypes = [c_void_p]
qsort = CDLL(None).qsort
qsort.argtypes = [c_void_p, c_size_t, c_size_t, c_void_p]


@CFUNCTYPE(c_int, POINTER(c_int), POINTER(c_ubyte), POINTER(c_ubyte))
def compare(keys, a, b):
    return keys[a[0]] - keys[b[0]]


def bind(signature, context):
    pointer = library.statictramp_bind_signature(cast(compare, c_void_p), context, signature)
    if not pointer:
        raise ValueError(f"error at byte {library.statictramp_signature_error(signature)} of {signature.decode()}")
    return pointer


for keys in (c_int * 4)(40, 3, 17, 9), (c_int * 4)(1, 2, 3, 4):
    order = (c_ubyte * 4)(0, 1, 2, 3)
    callback = bind(b"i(pp)", keys)
    qsort(order, 4, 1, callback)
    library.statictramp_free(callback)
    print(*order)
try:
    bind(b"i(p?)", keys)
except ValueError as error:
    print(error)
