# Tests compiled code at run time: abandoned hosts, signal handlers, fibers, and every limit. Also runs the C programs under
# AddressSanitizer and ThreadSanitizer.
# shellcheck disable=SC2086 # $flags, $shared, $layout, $linked: several words, or none

need gcc=gcc clang-19=clang-19 setarch=util-linux unshare=util-linux
library=$PWD/$(build_capi)
out=target/review-runtime
rm -rf $out
mkdir -p $out
lay_shared_library "$library" $out
flags="-O2 -g -w -Icapi/include -Icapi/tests/programs/c -pthread"
archive=$library/libstatictramp.a
shared="-L$out -lstatictramp -Wl,-rpath,\$ORIGIN"
jumps=$(share 2000000)
ulimit -c 0

# quiet COMMAND...: shows the command's output only if it fails.
quiet() {
    timeout 300 "$@" >$out/said 2>&1 || fail "$*: $(tail -n 20 $out/said)"
}

say "hosts on every stack, in every layout"
gcc $flags tests/programs/review/runtime/stacks.c "$archive" -o $out/stacks
clang-19 $flags -no-pie tests/programs/review/runtime/stacks.c "$archive" -o $out/stacks-no-pie
gcc $flags -static tests/programs/review/runtime/stacks.c "$archive" -o $out/stacks-static
clang-19 $flags tests/programs/review/runtime/stacks.c $shared -o $out/stacks-shared
big=$(head -c 100000 /dev/zero | tr '\0' x)
for program in stacks stacks-no-pie stacks-static stacks-shared; do
    for limit in 256 8192 4000000 unlimited; do
        for layout in "" "setarch -L" "setarch -R" "setarch -L -R"; do
            for where in main thread; do
                (ulimit -S -s $limit && quiet $layout $out/$program $where) || exit 1
            done
        done
    done
    BIG=$big BIGGER=$big quiet $out/$program
    quiet $out/$program blocked nothing-comes-back
    echo "$program"
done
if [ "$(id -u)" = 0 ]; then
    quiet unshare --mount sh -c "mount -t tmpfs none /proc && $out/stacks main nothing-comes-back && $out/stacks thread"
    echo "and the same without /proc"
fi

say "stacks in several mappings, coroutines in thread-local variables, children of every kind, allocators that create trampolines"
say "GCC's calls in separate functions"
for way in "gcc -O2" "clang-19 -O0 -static"; do
    for program in split locals children allocator apart deep strict; do
        $way $flags tests/programs/review/runtime/$program.c "$archive" -o $out/$program
    done
    for manner in mlock dontdump hugepage mprotect; do
        quiet $out/split $manner
        quiet $out/split $manner learned-before
    done
    quiet $out/split neighbour
    quiet $out/locals
    quiet $out/children
    [ "$(id -u)" != 0 ] || quiet unshare --pid --fork --kill-child $out/children process-1
    quiet $out/allocator
    quiet $out/apart
    quiet $out/strict
    (ulimit -S -s unlimited && quiet $out/deep) || exit 1
    (ulimit -S -s 1000000 && quiet $out/deep) || exit 1
    echo "$way"
done

say "hosts that return and hosts that are abandoned, alternately"
for level in -O0 -O2; do
    gcc $flags $level tests/programs/review/runtime/turns.c "$archive" -o $out/turns
    quiet $out/turns
    tail -n 1 $out/said
done

say "trampolines in signal handlers: malloc is not called, no live slot is reclaimed"
say "nested functions by GCC's interface: jumps, inlined hosts, interruptions, stacks reused by another thread; cancelled threads"
for compiler in gcc clang-19; do
    for level in -O0 -O2; do
        for program in handlers nested cancelled; do
            $compiler $flags $level tests/programs/review/runtime/$program.c "$archive" -o $out/$program
            $compiler $flags $level tests/programs/review/runtime/$program.c $shared -o $out/$program-shared
            $compiler $flags $level -static tests/programs/review/runtime/$program.c "$archive" -o $out/$program-static
            for linked in $program $program-shared $program-static; do
                quiet $out/$linked "$jumps"
            done
            echo "$compiler $level $program: $(tail -n 1 $out/said)"
        done
    done
done

# Their race reports concern the programs: the library itself is not instrumented. A frame's variables may be on the
# heap (detect_stack_use_after_return, clang's default). Then the chain does not identify an abandoned host, and its
# slots stay: only GCC's interface is tested, which identifies the host by its stack address.
say "the C programs under AddressSanitizer and ThreadSanitizer"
export ASAN_OPTIONS TSAN_OPTIONS
for compiler in gcc clang-19; do
    for sanitizer in address thread; do
        for program in capi/tests/programs/c/{plain,hosts,storm,grow,generations} tests/programs/review/runtime/{nested,cancelled,stacks}; do
            $compiler $flags -DSTUB_STRIDE=32 -DSANITIZED -fsanitize=$sanitizer $program.c "$archive" \
                -o $out/"$(basename $program)-sanitized"
        done
        ASAN_OPTIONS=detect_stack_use_after_return=0:detect_leaks=0
        TSAN_OPTIONS=die_after_fork=0
        quiet $out/plain-sanitized
        quiet $out/hosts-sanitized $((jumps / 20))
        quiet $out/storm-sanitized $(($(share 20) + 1))
        quiet $out/grow-sanitized 3000
        quiet $out/generations-sanitized $out/libstatictramp.so.0
        quiet $out/nested-sanitized $((jumps / 10))
        quiet $out/cancelled-sanitized
        quiet $out/stacks-sanitized
        if [ $sanitizer = address ]; then
            ASAN_OPTIONS=detect_stack_use_after_return=1:detect_leaks=0
            quiet $out/nested-sanitized 1000 given-up
            quiet $out/nested-sanitized 1000 interrupted
        fi
        echo "$compiler -fsanitize=$sanitizer"
    done
done
