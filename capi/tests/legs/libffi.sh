# libffi's closures, implemented with this library (examples/libffi/shim.c): the tests of libffi, CPython's ctypes and
# Ruby's fiddle, including runs in which the kernel denies executable memory. The cross leg runs libffi's tests on i386
# and AArch64.
# Installs: gcc, libffi, Python 3.11 and Ruby with their tests.
# Takes: 1 minute.

need gcc=gcc g++=g++ /usr/include/x86_64-linux-gnu/ffi.h=libffi-dev /usr/bin/python3.11=python3.11 /usr/lib/python3.11/ctypes/test=libpython3.11-testsuite \
    ruby=ruby /usr/share/doc/ruby-test-unit=ruby-test-unit xz=xz-utils
[ "$(uname -m)" = x86_64 ] || fail "this leg runs only on x86-64, because its system-call filter is for x86-64"
library=$PWD/$(build_capi)
out=$PWD/target/libffi
mkdir -p "$out"
ulimit -c 0
source capi/tests/legs/parts/libffi.sh

say "libffi's tests"
fetch_sources libffi "bookworm"
libffi_suite x86_64 gcc "$library/libstatictramp.a" "-I/usr/include/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu/libffi.a" ""

gcc -O2 -Wall -Wextra -Werror -fPIC -shared -Icapi/include examples/libffi/shim.c -Wl,--whole-archive "$library/libstatictramp.a" \
    -Wl,--no-whole-archive -o "$out/shim.so"
gcc -O2 -Wall -Wextra -Werror -fPIC -shared capi/tests/programs/libffi/seal.c -o "$out/seal.so"
gcc -O2 -Wall -Wextra -Werror -static tests/programs/hardened/restrict.c -o "$out/restrict"
denied=("$out/restrict" mdwe --)
"${denied[@]}" true || { echo "PR_SET_MDWE: not available on this kernel" && denied=(); }

# sealed COMMAND...: runs the command under the filter with the shim, and without it, which must kill the process.
sealed() {
    env LD_PRELOAD="$out/shim.so" "$@" >"$out/said" 2>&1 || { cat "$out/said"; fail "$* exited with status $?, expected 0"; }
    tail -n 1 "$out/said"
    ! "$@" >"$out/said" 2>&1 || fail "$* succeeds under the filter without the shim, so this test proves nothing"
}

say "CPython's tests of ctypes"
suite=(/usr/bin/python3.11 capi/tests/programs/libffi/ctypes_suite.py /usr/lib/python3.11/ctypes/test)
LD_DEBUG=bindings LD_PRELOAD=$out/shim.so /usr/bin/python3.11 -c 'import ctypes; ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 3)()' 2>&1 |
    grep -q "_ctypes.*shim.so.*ffi_closure_alloc" || fail "CPython does not use the shim"
LD_PRELOAD=$out/shim.so "${denied[@]}" "${suite[@]}" 2>"$out/said" || { cat "$out/said"; fail "CPython's tests of ctypes failed"; }
# The omitted tests load libraries, or run other programs.
sealed "${suite[@]}" "$out/seal.so" ctypes.test.test_find ctypes.test.test_loading ctypes.test.test_objects \
    ctypes.test.test_frombuffer.Test.test_fortran_contiguous

say "Ruby's tests of fiddle"
fetch_sources ruby3.1 "bookworm"
cd "$sources"
suite=(ruby -W0 -Itool/lib -Itest/lib -Itest/fiddle "$OLDPWD/capi/tests/programs/libffi/fiddle_suite.rb")
LD_PRELOAD=$out/shim.so "${denied[@]}" "${suite[@]}" >"$out/said" 2>&1 || { cat "$out/said"; fail "Ruby's tests of fiddle failed"; }
grep ' 0 failures, 0 errors' "$out/said" || fail "Ruby's tests of fiddle do not report 0 failures and 0 errors"
# The omitted tests run another Ruby.
sealed "${suite[@]}" "$out/seal.so" -n '!/no_memory_leak/'
cd "$OLDPWD"
