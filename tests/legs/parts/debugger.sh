# Tests backtraces by a debugger and a profiler: names and callers must be correct wherever the program is stopped. Sourced by the
# leg life.
# shellcheck disable=SC2086 # $flags: several words, or none

# in_gdb COMMAND... -- PROGRAM...: prints gdb's output.
in_gdb() {
    local arguments=()
    while [ "$1" != -- ]; do
        arguments+=(-ex "$1")
        shift
    done
    shift
    gdb -nx -batch "${arguments[@]}" --args "$@" 2>&1
}

# link_stopped [FILE]: links stopped.c, after another file, and sets `end` to the address at which the stubs end.
link_stopped() {
    gcc $flags $how "$@" capi/tests/programs/c/stopped.c "$archive" -o "$out"/stopped
    end=$(nm "$out"/stopped | sed -n 's/ . statictramp_c_0_1_stubs_end$//p')
}

for how in "" -static -no-pie; do
    link_stopped
    if [ $((0x$end % 4096)) = 0 ]; then
        # By chance, the stubs end where a page ends. Code before them moves them.
        printf '.text\n.skip 64, 0xcc\n.section .note.GNU-stack,"",%%progbits\n' >"$out"/padding.s
        link_stopped "$out"/padding.s
    fi
    # The program is stopped at the stub's first instruction, and after each step through the stub and the adapter to the callee.
    # This is done for a stub of the static table and for a stub of an added segment. A breakpoint in the function after the stubs, on
    # the same page, does not stop growth.
    [ $((0x$end % 4096)) != 0 ] || fail "no code is on the last page of the stubs, so a breakpoint there proves nothing"
    for where in table:statictramp_c_0_1_stubs grown:statictramp_stubs_of_a_segment; do
        said=$(in_gdb 'break ready' 'break *&statictramp_c_0_1_stubs_end' 'ignore 2 999999' run 'break *(void*)stub' continue bt stepi bt stepi bt stepi bt stepi bt stepi bt stepi bt -- "$out"/stopped "${where%:*}")
        for place in "#0 .* in ${where#*:} ()" '#0 .* in .*statictramp_bind_0.* ()' '#0  callee'; do
            grep -q "$place" <<<"$said" || fail "gdb does not name $place: $said"
        done
        [ "$(grep -c '^#1 .* in the_caller ' <<<"$said")" = 7 ] || fail "gdb's backtrace in a stub or an adapter lacks the caller: $said"
        [ "$(grep -c '^#2 .* in main ' <<<"$said")" = 7 ] || fail "gdb's backtrace lacks main: $said"
        ! grep -q '??' <<<"$said" || fail "gdb's backtrace contains a frame without a name: $said"
    done

    said=$(in_gdb run bt -- "$out"/stopped dead)
    grep -q 'in the_caller ' <<<"$said" && grep -q 'in main ' <<<"$said" || fail "gdb's backtrace of a call after free lacks the caller: $said"
    grep -q 'former callee 0x[0-9a-f]* (callee)' <<<"$said" || fail "the message about a call after free does not name the callee: $said"
done
grep -E '^statictramp|^#' <<<"$said" | tail -n 5
echo "gdb: correct at 7 addresses of each program, and after a call after free"

# A profiler may interrupt the program at any instruction.
if ! command -v perf >/dev/null; then
    (need perf=linux-perf) || echo "perf: not installed"
fi
gcc $flags -DLOOP capi/tests/programs/c/stopped.c "$archive" -o "$out"/profiled
if perf record --quiet -e cpu-clock -F 2000 --call-graph dwarf,1024 -o "$out"/perf.data "$out"/profiled >"$out"/perf.log 2>&1; then
    perf script -i "$out"/perf.data -F ip,sym 2>/dev/null >"$out"/perf.txt
    # Samples of main, which makes the trampoline, are not counted.
    code='statictramp_c_0_1_stubs\|::arch::statictramp_bind_'
    samples=$(grep -c "$code" "$out"/perf.txt || true)
    right=$(grep -A1 "$code" "$out"/perf.txt | grep -c 'the_caller' || true)
    echo "perf: $samples samples in stubs and adapters, $right with the right caller"
    [ "$samples" -gt 0 ] && [ "$samples" = "$right" ] || fail "perf recorded no sample in a stub or an adapter, or a call chain lacks the caller"
else
    echo "perf: not allowed on this machine: $(tail -n 1 "$out"/perf.log)"
fi
