# Tests lifetimes: growth, abandoned hosts, forks and signals, calls after free, debuggers, and two copies in one process.
# Installs: gcc, clang 19 and 22, lld, mold, gdb.
# Takes: 1 minute.
# shellcheck disable=SC2086 # $grow, $flags: several words, or none

need gcc=gcc g++=g++ clang-19=clang-19 clang++-19=clang-19 ld.lld-19=lld-19 mold=mold clang-22=clang-22 gdb=gdb
library=$PWD/$(build_capi)
scratch=$PWD/$(build_capi scratch)
out=target/life
rm -rf $out
mkdir -p $out
flags="-O2 -g -Wall -Wextra -Wno-infinite-recursion -Wno-unused-result -Icapi/include"
archive=$library/libstatictramp.a
script=$(linker_script "$library")
ulimit -c 0
jumps=$(share 1000000)
million=$(share 1000000)

say "growth: every kind of link, under PR_SET_MDWE where the kernel has it"
gcc -O2 tests/common/mdwe.c -o $out/mdwe
no_wx $out/mdwe
lay_shared_library "$library" $out
grow="$flags capi/tests/programs/c/grow.c -pthread"
gcc $grow "$archive" -o $out/grow-pie
gcc $grow -no-pie "$archive" -o $out/grow-no-pie
gcc $grow -static "$archive" -o $out/grow-static
gcc $grow -static-pie "$archive" -o $out/grow-static-pie
clang-19 $grow -fuse-ld=lld "$archive" -o $out/grow-lld
clang-19 $grow -fuse-ld=lld "$archive" -Wl,-T,"$script" -Wl,-z,max-page-size=65536 -o $out/grow-64k
gcc $grow "$archive" -Wl,-z,max-page-size=65536 -Wl,-T,"$script" -o $out/grow-bfd-64k
gcc $grow -L$out -lstatictramp -Wl,-rpath,'$ORIGIN' -o $out/grow-shared
for program in pie no-pie static static-pie lld 64k bfd-64k shared; do
    printf '%-12s' "$program"
    $guard $out/grow-$program 20000
done
$guard $out/grow-pie "$million"
readelf -lW $out/grow-64k | grep -q 'LOAD.*0x10000$' || fail "no segment of grow-64k is aligned to 64 KiB"

say "growth: clang's -fsanitize=function reads the bytes before every stub"
source tests/legs/parts/sanitized.sh
for linker in bfd lld mold; do
    sanitized "$linker" "$archive" "" clang-19 -O1 -fsanitize=function,undefined -fno-sanitize-recover=all -fuse-ld=$linker
done
sanitized clang-22 "$archive" "" clang-22 -O1 -fsanitize=function,undefined -fsanitize-trap=all -static

say "growth: without the library's file, and limits"
cp $out/grow-pie $out/doomed
$out/doomed 20000 unlink $out/doomed
mkdir -p $out/doomed.d
cp $out/libstatictramp.so.0 $out/doomed.d
# full COMMAND...: runs the command, which must find the table full at 1024 slots or at STATICTRAMP_LIMIT.
full() {
    local said
    said=$("$@" 2>&1) || fail "$*: $said"
    echo "$said"
}
gcc -DDOOMED="\"$PWD/$out/doomed.d/libstatictramp.so.0\"" capi/tests/programs/c/removed.c $grow $out/libstatictramp.so.0 -Wl,-rpath,'$ORIGIN/doomed.d' -o $out/grow-removed
full $out/grow-removed 20000 expect-full x
STATICTRAMP_LIMIT=3000 full $out/grow-pie 20000 expect-full x
STATICTRAMP_LIMIT=10 full $out/grow-pie 20000 expect-full x
STATICTRAMP_LIMIT=many full $out/grow-pie 20000 expect-full x
if [ "$(id -u)" = 0 ]; then
    mkdir -p $out/jail
    cp $out/grow-static $out/jail
    full chroot $out/jail /grow-static 20000 expect-full x
    mkdir -p $out/noexec
    gcc -DREMOUNTED="\"$PWD/$out/noexec\"" capi/tests/programs/c/removed.c $grow "$archive" -o $out/grow-noexec
    full unshare --mount sh -c "mount -t tmpfs tmpfs $out/noexec && cp $out/grow-noexec $out/noexec &&
        $out/noexec/grow-noexec 20000 expect-full x"
else
    echo "chroot and noexec: not tried without root"
fi

say "hosts that jump out, are cancelled, run on fibers and in handlers"
for compiler in gcc clang-19; do
    $compiler $flags capi/tests/programs/c/hosts.c "$archive" -pthread -o $out/hosts
    $out/hosts "$jumps"
done
$compiler $flags capi/tests/programs/c/hosts.c -L$out -lstatictramp -Wl,-rpath,'$ORIGIN' -pthread -o $out/hosts-shared
$out/hosts-shared "$jumps"

say "threads, signals, forks and growth at the same time"
gcc $flags capi/tests/programs/c/storm.c "$archive" -pthread -o $out/storm
$out/storm $(($(share 60) + 1))
gcc $flags capi/tests/programs/c/storm.c -L$out -lstatictramp -Wl,-rpath,'$ORIGIN' -pthread -o $out/storm-shared
$out/storm-shared 2

say "threads one after another, and one thread alone on a table for many"
for compiler in gcc clang-19; do
    $compiler $flags capi/tests/programs/c/alone.c "$archive" -pthread -o $out/alone
    $out/alone "$million"
done

say "a closed library, small stacks, calls after free"
gcc $flags capi/tests/programs/c/generations.c -pthread -o $out/generations
$out/generations $out/libstatictramp.so.0

say "two copies in one process, two versions in one program"
gcc $flags capi/tests/programs/c/copies.c "$archive" -o $out/copies
for how in "" -Bsymbolic -Bsymbolic-functions; do
    gcc $flags -fPIC -shared -DLIBRARY capi/tests/programs/c/copies.c "$archive" ${how:+-Wl,$how} -o $out/libother$how.so
    $out/copies $out/libother$how.so
done
source tests/legs/parts/copies.sh

say "many copies in one process, with large thread-local variables of their own; with compiled code, the number in docs/platforms.md"
gcc $flags capi/tests/programs/c/many.c "$archive" -o $out/many
# copies NUMBER NAME OPTION...: builds a library with the options, and loads this number of copies.
copies() {
    local number
    gcc $flags -fPIC -shared -DLIBRARY "${@:3}" capi/tests/programs/c/many.c "$archive" -o "$out/lib$2.so"
    for number in $(seq "$1"); do cp "$out/lib$2.so" "$out/lib$2-$number.so"; done
    $out/many "$out/lib$2"-*.so
}
copies 1 two -DOWN=2048
copies 32 sixty-four -DOWN=65536
! readelf -d $out/libsixty-four.so | grep STATIC_TLS || fail "a library without compiled code has static thread-local storage"
copies 50 compiled -DCOMPILED

say "scratch: only if the build enables it and the stack is executable"
gcc $flags -z execstack capi/tests/programs/c/scratch.c "$scratch/libstatictramp.a" -o $out/scratch 2>/dev/null
$out/scratch
$out/scratch beside-data
gcc $flags capi/tests/programs/c/scratch.c "$scratch/libstatictramp.a" -o $out/scratch-strict
$out/scratch-strict refused
gcc $flags -z execstack capi/tests/programs/c/scratch.c "$archive" -o $out/no-scratch 2>/dev/null
$out/no-scratch refused
said=$(cargo check --quiet -p statictramp --features scratch,hardened --target-dir target/variants 2>&1) &&
    fail "the build accepted the features scratch and hardened together"
grep -o 'the features `hardened` and `scratch` of statictramp are mutually exclusive' <<<"$said" || fail "$said"

say "unwinding"
for compiler in g++ clang++-19; do
    for level in -O0 -O2; do
        $compiler $level $flags -rdynamic capi/tests/programs/c/exceptions.cpp "$archive" -o $out/exceptions
        $out/exceptions
    done
done
source tests/legs/parts/debugger.sh
