# Tests libstatictramp with C compilers and linkers. Sourced by the leg native.
# shellcheck disable=SC2086 # $flags, $plain, $script: several words, or none

library=$(build_capi)
out=target/c
rm -rf $out
mkdir -p $out
cargo run --quiet -- flags --prefix target/prefix >/dev/null
stride=32
flags="-O2 -Wall -Wextra -DSTUB_STRIDE=$stride -Icapi/include"
script="-Wl,-T,$(linker_script "$library")"

say "the headers alone"
printf '#include "statictramp.h"\n#include "statictramp_interop.h"\n' >$out/header.c
for compiler in gcc clang-19; do
    $compiler -std=c99 -Wall -Wextra -pedantic -Werror -Icapi/include -fsyntax-only $out/header.c
    $compiler -x c++ -std=c++11 -Wall -Wextra -pedantic -Werror -Icapi/include -fsyntax-only $out/header.c
done

say "signatures by types, in each C standard"
for compiler in gcc clang-19; do
    for standard in c11 c17 c2x; do
        $compiler -D_GNU_SOURCE -std=$standard -O2 -Wall -Wextra -pedantic -Werror -Icapi/include capi/tests/programs/c/types.c \
            "$library/libstatictramp.a" -pthread -o $out/types
        $out/types
        more=$([ $compiler = gcc ] || echo atomic_complex)
        # shellcheck disable=SC2086 # $more: one word or none
        for type in 'struct structure' 'union combination' narrow_vector vector wide_vector $more; do
            for place in AS_RESULT AS_PARAMETER; do
                ! $compiler -std=$standard -w "-DTYPE=$type" -D$place -Icapi/include -fsyntax-only capi/tests/programs/c/types_rejected.c 2>/dev/null ||
                    fail "$compiler -std=$standard: STATICTRAMP_BIND accepts $type, $place"
            done
        done
        for place in AS_RESULT AS_PARAMETER; do
            $compiler -std=$standard -DTYPE=int -D$place -Icapi/include -fsyntax-only capi/tests/programs/c/types_rejected.c
        done
    done
done

say "the checks of STATICTRAMP_BIND"
source capi/tests/legs/parts/bind_checks.sh
for compiler in gcc clang-19; do
    for standard in c11 c2x; do bind_uses "$compiler -std=$standard"; done
    bind_misuses "$compiler -std=c11"
    for language in "c -std=c90" "c -std=c99" "c++ -std=c++98" "c++ -std=c++11"; do bind_needs_c11 "$compiler -x $language"; done
    $compiler -std=c11 -O2 -Wall -Wextra -pedantic -Werror -Icapi/include capi/tests/programs/c/va_list.c "$library/libstatictramp.a" -o $out/va_list
    $out/va_list
done

say "C programs, linked in every way"
# linked NAME COMMAND...: builds capi/tests/programs/c/plain.c with this command and runs it.
images=
linked() {
    local name=$1
    shift
    "$@" -o $out/"$name"
    LD_LIBRARY_PATH=$out $out/"$name" >/dev/null || fail "$name failed"
    [ "$(stack_rights $out/"$name")" = RW ] || fail "$name does not request a non-executable stack"
    case "$*" in *statictramp.ld*) images=$images:$out/$name ;; esac
    echo "$name"
}
lay_shared_library "$library" $out
plain="capi/tests/programs/c/plain.c $library/libstatictramp.a"
for compiler in gcc clang-19; do
    linked $compiler $compiler $flags $plain
    linked $compiler-script $compiler $flags $plain $script
    linked $compiler-so $compiler $flags capi/tests/programs/c/plain.c -L$out -lstatictramp
done
linked bfd-static gcc $flags -static $plain $script
linked bfd-static-pie gcc $flags -static-pie $plain $script
linked bfd-no-pie gcc $flags -no-pie $plain $script
linked bfd-gc-sections gcc $flags -Wl,--gc-sections $plain $script
linked lld clang-19 $flags -fuse-ld=lld $plain
linked lld-script clang-19 $flags -fuse-ld=lld $plain $script
linked lld-no-pie clang-19 $flags -fuse-ld=lld -no-pie $plain $script
linked lld-static-pie clang-19 $flags -fuse-ld=lld -static-pie $plain $script
linked mold clang-19 $flags -fuse-ld=mold $plain

say "a free that is interrupted after each of its instructions, and never continues"
gcc -O1 -Wall -Wextra -Werror -Icapi/include capi/tests/programs/c/interrupted.c "$library/libstatictramp.a" -pthread -o $out/interrupted
timeout 120 $out/interrupted

say "the number of instructions of the fast paths, and for a simple signature"
gcc -O2 -Wall -Wextra -Werror -Icapi/include capi/tests/programs/c/counted.c "$library/libstatictramp.a" -o $out/counted
$out/counted

say "slots on separate pages: the images above, the shared library and the tool"
cargo build --quiet --release -p statictramp-cli
STATICTRAMP_CHECK_IMAGES=$images:$out/libstatictramp.so.0:target/release/statictramp \
    cargo test --quiet --test layout
readelf -dW $out/libstatictramp.so.0 | grep -q 'SONAME.*libstatictramp.so.0' || fail "the shared library does not have the SONAME libstatictramp.so.0"
readelf -dW $out/libstatictramp.so.0 | grep -q NODELETE || fail "the shared library is not marked NODELETE, so a program could unload it while trampolines are live"

say "the linker script's assertions"
for wrong in WRONG_SLOTS WRONG_STUBS WRONG_PLACE; do
    case $wrong in
    WRONG_SLOTS) sentence="the slots do not fill their table" ;;
    WRONG_STUBS) sentence="there is not one stub for each slot" ;;
    WRONG_PLACE) sentence="another linker script has taken the section" ;;
    esac
    for linker in bfd lld; do
        said=$(clang-19 -fuse-ld=$linker -D$wrong capi/tests/programs/c/asserted.S $script -o $out/asserted 2>&1) && fail "$linker accepts $wrong"
        grep -q "$sentence" <<<"$said" || fail "$wrong: $linker printed a different error: $said"
    done
    echo "$wrong: $sentence"
done

say "the archive's size in a program"
printf 'int main(void) { return 0; }\n' >$out/empty.c
printf '#include "statictramp.h"\nint main(void) { return statictramp_free(statictramp_alloc((statictramp_fn)main, 0)); }\n' >$out/user.c
gcc -Os -Icapi/include $out/empty.c -o $out/empty
gcc -Os -Icapi/include -Wl,--gc-sections $out/user.c "$library/libstatictramp.a" -o $out/user
$out/user
sizes() { size "$1" | awk 'NR == 2 { print $1 + $2, $3 }'; }
read -r empty_file empty_bss < <(sizes $out/empty)
read -r user_file user_bss < <(sizes $out/user)
relocations() { readelf -rW "$1" | grep -c R_X86_64_; }
constructors() { readelf -SW "$1" | sed -n 's/.* INIT_ARRAY  *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\) .*/\1/p'; }
added_file=$((user_file - empty_file))
echo "code and data: $added_file bytes (of which stubs: $((1024 * stride))); zeroed memory: $((user_bss - empty_bss)) bytes"
echo "relocations: $(relocations $out/empty) without, $(relocations $out/user) with"
[ $((added_file - 1024 * stride)) -le 37864 ] || fail "the archive adds more than 37,864 bytes besides its stubs"
[ "$(constructors $out/empty)" = "$(constructors $out/user)" ] || fail "the archive adds functions to .init_array"
nm -u $out/user | awk '{ print $NF }' | sed 's/@.*//' | sort >$out/undefined
nm -u $out/empty | awk '{ print $NF }' | sed 's/@.*//' | sort >$out/undefined-empty
echo "undefined symbols, except those of an empty program: $(comm -23 $out/undefined $out/undefined-empty | tr '\n' ' ')"
comm -23 $out/undefined $out/undefined-empty | while read -r symbol; do
    case $symbol in
    abort | __errno_location | __getauxval | getenv | memcpy | memmove | memset | memcmp | strlen) ;;
    dl_iterate_phdr | pthread_self | pthread_getcpuclockid) ;; # called only through libc's own functions
    *) fail "the archive needs the unexpected symbol $symbol" ;;
    esac
done
! nm $out/user $out/bfd-gc-sections | grep -E '__rust_alloc|3std|panic' || fail "std, alloc or the panic machinery is linked into the program"
