# Tests that libstatictramp's archive does not change how a program uses other libraries.

need gcc=gcc clang-19=clang-19 ld.lld-19=lld-19 flang-new-19=flang-19
need_test_tools
library=$(build_capi)
archive=$library/libstatictramp.a
made=target/release/libstatictramp_capi.a
out=target/review/archive
rm -rf $out
mkdir -p $out
rounds=$(share 20000)
source tests/legs/parts/review/archive/symbols.sh
source tests/legs/parts/review/archive/numbers.sh
source tests/legs/parts/review/archive/own_names.sh

only_ours "$archive"
said=$(only_ours $made 2>&1) && fail "the check accepts the archive that cargo makes, so this test proves nothing"

for way in -no-pie -pie; do
    own_names $out "$archive" nm "" threads gcc $way -DDEVICES "$archive"
    own_names $out "$archive" nm "" threads clang-19 -fuse-ld=lld $way -DDEVICES "$archive"
done
for way in -static -static-pie; do
    own_names $out "$archive" nm "" kept gcc $way -DDEVICES "$archive"
done
own_names $out "$archive" nm "" threads gcc -DDEVICES "-L$library" -lstatictramp "-Wl,-rpath,$(realpath "$library")"
(own_names $out $made nm "" threads gcc -DDEVICES $made) >/dev/null 2>&1 && fail "cargo's own archive calls none of the program's functions, so this test proves nothing"

names_of_both $out $made ""
gcc -O1 -fno-builtin -Wall -c $out/calls.c -o $out/calls.o
gcc -O2 -flto -fno-builtin -c $out/calls.c -o $out/calls-lto.o
same_numbers $out "" "$archive" "shared C library" gcc $out/calls.o -lm
other_numbers $out "" $made gcc $out/calls.o -lm
same_numbers $out "" "$archive" static "gcc -static" $out/calls.o -lm -lgcc
same_numbers $out "" "$archive" "gcc -flto" "gcc -O2 -flto -fno-builtin" $out/calls-lto.o -lm
# clang's headers do not declare the 128-bit functions of libm.
grep -v f128 $out/libm >$out/libm-clang
"$test_tools" library-calls $out/libgcc $out/libm-clang >$out/calls-clang.c
clang-19 -O2 -flto -fno-builtin -c $out/calls-clang.c -o $out/calls-clang.o
same_numbers $out "" "$archive" "clang -flto, lld" "clang-19 -O2 -flto -fno-builtin -fuse-ld=lld" $out/calls-clang.o -lm
other_numbers $out "" $made "clang-19 -O2 -flto -fno-builtin -fuse-ld=lld" $out/calls-clang.o -lm
export LD_LIBRARY_PATH=$library
numbers_of $out "" gcc -Wl,--no-as-needed "-L$library" -lstatictramp $out/calls.o -lm >$out/found
numbers_of $out "" gcc $out/calls.o -lm >$out/wanted
cmp $out/wanted $out/found || fail "the shared library changes results of functions in libgcc or libm"
unset LD_LIBRARY_PATH

# flang's division uses the same libgcc function.
cat >$out/division.f90 <<'END'
program division
  complex(8), volatile :: a, b
  complex(4), volatile :: c, d
  a = (1.1d0, 2.3d0); b = (1.0d0, 1.3d0); c = (1.1, 2.3); d = (1.0, 1.3)
  print '(4z17.16)', a / b, a * b
  print '(4z9.8)', c / d, c * d
end program
END
flang-new-19 -O0 -c $out/division.f90 -o $out/division.o
for place in without front between; do
    case $place in
    without) set -- $out/division.o ;;
    front) set -- "$archive" $out/division.o ;;
    between) set -- $out/division.o "$archive" -lm ;;
    esac
    flang-new-19 "$@" -L/usr/lib/llvm-19/lib -o $out/division
    $out/division >$out/division.$place
    cmp $out/division.without $out/division.$place || fail "flang, $place: the result of a division differs"
done
flang-new-19 $out/division.o $made -L/usr/lib/llvm-19/lib -o $out/division
$out/division | cmp -s - $out/division.without && fail "cargo's archive does not change flang's division, so this test proves nothing"
echo "flang 19: (1.1,2.3)/(1.0,1.3) is the same as without the archive"

# The compilers' own run-time libraries are linked, too: one member has all functions that code compiled by flang calls, and
# another has those that code compiled by GCC calls.
cat >$out/flang_runtime.c <<'END'
int runtimes;
void *_FortranATrampolineInit(void *s, void *f, void *c) { (void)s, (void)c; runtimes++; return f; }
void *_FortranATrampolineAdjust(void *h) { return h; }
void _FortranATrampolineFree(void *h) { (void)h; }
END
cat >$out/gcc_runtime.c <<'END'
void __gcc_nested_func_ptr_created(void *c, void *f, void **d) { (void)c; *d = f; }
void __gcc_nested_func_ptr_deleted(void) {}
END
cat >$out/both.c <<'END'
#include "statictramp.h"
#include <stdio.h>
void *_FortranATrampolineInit(void *, void *, void *), *_FortranATrampolineAdjust(void *);
void _FortranATrampolineFree(void *);
void __gcc_nested_func_ptr_created(void *, void *, void **), __gcc_nested_func_ptr_deleted(void);
static int callee(void) { return 0; }
int main(void)
{
    void *nested, *handle = _FortranATrampolineInit(0, (void *)callee, 0);
    __gcc_nested_func_ptr_created(0, (void *)callee, &nested);
    int bad = ((int (*)(void))_FortranATrampolineAdjust(handle))() + ((int (*)(void))nested)();
    printf("%zu ours\n", statictramp_live());
    __gcc_nested_func_ptr_deleted();
    _FortranATrampolineFree(handle);
    return bad || statictramp_live() != 0;
}
END
gcc -O2 -Icapi/include -c $out/both.c -o $out/both.o
for runtime in flang_runtime gcc_runtime; do
    gcc -O2 -c $out/$runtime.c -o $out/$runtime.o
    ar rcs $out/lib$runtime.a $out/$runtime.o
done
runtimes="$out/libflang_runtime.a $out/libgcc_runtime.a"
whole="-Wl,--whole-archive $archive -Wl,--no-whole-archive"
links=0 refused=0
for linker in bfd lld mold; do
    for how in "" -static -static-pie; do
        for order in "$archive $runtimes" "$whole $runtimes" "$archive $archive $runtimes" "$runtimes $archive" "$runtimes $whole"; do
            # shellcheck disable=SC2086 # several words
            if said=$(clang-19 -fuse-ld=$linker $how $out/both.o $order -o $out/both 2>&1); then
                said=$($out/both) || fail "$linker $how: exit status $?, expected 0: $order"
                [ "$said" = "2 ours" ] || fail "$linker $how: $said: $order"
                links=$((links + 1))
            else
                # If the functions of a run-time library are already linked, there must never be a mixture of both.
                case "$order:$said" in
                "$runtimes"*"multiple definition"* | "$runtimes"*"duplicate symbol"*) refused=$((refused + 1)) ;;
                *) fail "$linker $how: $order: $said" ;;
                esac
            fi
        done
    done
done
echo "$links links with the compilers' own run-time libraries use the library's trampolines; $refused with the library after them are rejected"
# The library comes after the run-time libraries and is otherwise unused, so none of it may be linked.
sed 's/.*printf.*//; s/ || statictramp_live() != 0//' $out/both.c >$out/neither.c
for linker in bfd lld mold; do
    # shellcheck disable=SC2086 # several words
    clang-19 -fuse-ld=$linker -O2 -Icapi/include $out/neither.c $runtimes "$archive" -o $out/neither
    [ "$linker" = mold ] || ! nm $out/neither | grep 'statictramp_' || fail "$linker: the library is linked into a program that does not use it"
done
source tests/legs/parts/review/archive/version.sh
