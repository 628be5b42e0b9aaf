# Tests that `statictramp dump` reads the trampolines of a process, in the static table and in added segments, with a stripped
# file and with a deleted file. Sourced by the leg "tool", which has set $library.

say "the trampolines of another process"
out=target/tool
cargo build --quiet -p statictramp-cli
gcc -O2 -Wall -Wextra -Icapi/include cli/tests/programs/dump/dumped.c "$library/libstatictramp.a" -o $out/dumped
strip -o $out/dumped-stripped $out/dumped
cp $out/dumped $out/dumped-deleted
for program in dumped dumped-stripped dumped-deleted; do
    : >$out/dumped.says
    $out/$program >$out/dumped.says &
    pid=$!
    wait_for ready $out/dumped.says
    [ $program != dumped-deleted ] || rm $out/dumped-deleted
    target/debug/statictramp dump $pid >$out/dumped.dump || fail "$program: statictramp dump fails"
    kill $pid
    wait $pid 2>/dev/null || :
    grep -v 'bound\|ready' $out/dumped.says | sort >$out/dumped.wanted
    sed -n 's/^  \(0x[0-9a-f]*\)  slot [0-9]*  callee \(0x[0-9a-f]*\).*  chain \(0x[0-9a-f]*\)$/\1 \2 \3/p' $out/dumped.dump | sort >$out/dumped.found
    cmp $out/dumped.wanted $out/dumped.found || fail "$program: the dump and the program list different trampolines"
    read -r _ stub callee < <(grep bound $out/dumped.says)
    if [ $program = dumped-stripped ]; then
        grep -q "^  $stub  slot .*  callee $callee  chain .*  by way of 0x" $out/dumped.dump || fail "$program: the dump does not list the bound closure"
    else
        grep -q "^  $stub  slot .*  callee $callee (second)  chain .*  by way of 0x.*statictramp_bind_0" $out/dumped.dump || fail "$program: the dump does not name the bound closure"
    fi
    [ "$(grep -c 'stubs from' $out/dumped.dump)" -ge 2 ] || fail "$program: the dump does not list the slots that growth has added"
    echo "$program: $(wc -l <$out/dumped.found) trampolines and a bound one, in $(grep -c 'stubs from' $out/dumped.dump) tables"
done
for wrong in $$ 999999999 many; do
    said=$(target/debug/statictramp dump "$wrong" 2>&1) && fail "dump $wrong succeeded"
    echo "dump $wrong: $said" | sed "s/$$/PID/g"
done

say "the closures that a Rust program has bound, by name"
cargo build --quiet -p statictramp-cli --example bound
cp target/debug/examples/bound $out/bound
strip -o $out/bound-stripped $out/bound
loader=$(readelf -p .interp $out/bound | grep -o '/.*')
for program in bound bound-stripped bound-flat; do
    : >$out/bound.says # so that the previous output ends no wait
    case $program in
        # If the program is run through the loader, it is mapped like a library, above later mappings, and backtraces find its own
        # file.
        bound-flat) "$loader" $out/bound backtrace >$out/bound.says & ;;
        *) $out/$program >$out/bound.says & ;;
    esac
    pid=$!
    wait_for ready $out/bound.says
    if [ $program = bound-flat ]; then
        firsts=$(grep -c ' r--p 00000000 .*/bound$' /proc/$pid/maps) || :
        [ "$firsts" = 2 ] || { kill $pid; fail "the file is mapped $firsts times, expected one flat mapping and one image"; }
    fi
    target/debug/statictramp dump $pid >$out/bound.dump || fail "$program: statictramp dump fails"
    target/debug/statictramp dump --json $pid >$out/bound.json || fail "$program: statictramp dump --json fails"
    kill $pid
    wait $pid 2>/dev/null || :
    # named KIND NAME TEXT [BOUND]: checks that the function pointer of that kind has that name. If the file has debugging
    # information, also checks that it has the source line that contains the text; otherwise, checks that it has the line at which
    # it was bound.
    named() {
        local stub wanted="($2)" line
        if [ $# = 4 ]; then
            line=$(grep -nF "$4" cli/examples/bound.rs | head -1 | cut -d: -f1)
            wanted="($2, bound at cli/examples/bound.rs:$line)"
            grep -qF "\"cli/examples/bound.rs:$line\"" $out/bound.json || fail "$program: the JSON output does not state that $1 was bound at line $line"
        fi
        stub=$(sed -n "s/^$1 //p" $out/bound.says)
        if [ $program != bound-stripped ]; then
            line=$(grep -nF "$3" cli/examples/bound.rs | head -1 | cut -d: -f1)
            wanted="($2 at $PWD/cli/examples/bound.rs:$line)"
            grep -qF "\"source\": \"$PWD/cli/examples/bound.rs:$line\"" $out/bound.json || fail "$program: the JSON output does not contain line $line, the source of $1"
        fi
        grep "^  $stub  slot" $out/bound.dump | grep -qF "$wanted" || fail "$program: the dump does not describe $1 as $wanted: $(grep "$stub" $out/bound.dump)"
        grep -qF "\"name\": \"$2\"" $out/bound.json || fail "$program: the JSON output does not contain the name $2"
    }
    named borrowed 'bound::main::{{closure}}' '|x: c_int| x + step' 'bind(&add)'
    named boxed 'bound::main::{{closure}}' 'x * step' 'boxed(move |x'
    named by_mut 'ByMut<bound::main::{{closure}}>' 'sum += x' 'bind(&count)'
    named erased 'ByMut<bound::main::{{closure}}>' 'println!("{x}")' 'boxed(by_mut('
    named item bound::twice 'fn twice' 'leaked(twice)'
    named generic 'bound::thrice<i32>' 'fn thrice' 'leaked(thrice'
    named wrapped 'ByMut<bound::twice>' 'fn twice' 'boxed(by_mut(twice))'
    named other 'bound::with_context<bound::main::{{closure}}>::{{closure}}' '|_: *mut F| value' 'boxed(move |_'
    long=$(sed -n "s/^  $(sed -n 's/^long //p' $out/bound.says)  slot .* (\(bound::of_type<.* \.\.\.\).*).*/\1/p" $out/bound.dump)
    [ ${#long} = 4100 ] || fail "$program: the long name has ${#long} characters, expected 4100"
    python3 -m json.tool $out/bound.json >/dev/null || fail "$program: the output of dump --json is not valid JSON"
    grep -qF '(fn(i32) -> i32, bound at cli/examples/bound.rs:' $out/bound.dump || fail "$program: the dump does not name the bound function pointer"
    # A function that is not a closure has a name if symbols exist.
    [ $program = bound-stripped ] || named plain bound::procedure 'fn procedure'
    echo "$program: $(grep -c '  slot ' $out/bound.dump) function pointers"
done

say "unreadable debugging information, reported in one message"
# without_lines MESSAGE PROGRAM: checks that the program's closures have names, but no source lines for this reason.
without_lines() {
    : >$out/bound.says
    "$2" >$out/bound.says &
    pid=$!
    wait_for ready $out/bound.says
    target/debug/statictramp dump $pid >$out/bound.dump 2>$out/bound.why || fail "$2: statictramp dump fails"
    kill $pid
    wait $pid 2>/dev/null || :
    grep -qF '(bound::main::{{closure}}, bound at ' $out/bound.dump || fail "$2: the dump lacks the names of closures, or contains source lines"
    grep -qxF "statictramp: $(realpath "$2"): $1" $out/bound.why || fail "$2: dump printed \"$(cat $out/bound.why)\", expected \"$1\""
    cat $out/bound.why
}
# This section header states a size of 300 MB, which is more than the file contains.
cp $out/bound $out/bound-much
number=$(readelf -SW $out/bound | sed -n 's/^ *\[ *\([0-9]*\)\] \.debug_str .*/\1/p')
headers=$(readelf -hW $out/bound | sed -n 's/^ *Start of section headers: *\([0-9]*\).*/\1/p')
printf '\x00\x00\xc0\x12' | dd of=$out/bound-much bs=1 seek=$((headers + number * 64 + 32)) conv=notrunc status=none
truncate -s 400M $out/bound-much
without_lines "too much debug information; source lines are missing" $out/bound-much
rm $out/bound-much
cargo rustc --quiet -p statictramp-cli --example bound -- -C split-debuginfo=unpacked
without_lines "the debug information is in other files (split DWARF), which are not read" target/debug/examples/bound

say "a process that tries to fill the memory of the dumping tool"
gcc -O2 -Wall -Wextra cli/tests/programs/dump/many_tables.c -o $out/many-tables
# dump_hostile OPTION FILES MAPPINGS TABLES SLOTS: runs the dump with 50 MB of memory. $ended states how it ended.
dump_hostile() {
    : >$out/hostile.says
    $out/many-tables "${@:2}" >$out/hostile.says &
    pid=$!
    wait_for ready $out/hostile.says
    ended=0
    (ulimit -d 50000 && exec target/debug/statictramp dump ${1:+"$1"} $pid) >$out/hostile.dump 2>$out/hostile.why || ended=$?
    kill $pid
    wait $pid 2>/dev/null || :
    echo "$*: $(grep -c '"stub"\|stubs from' $out/hostile.dump) of its tables or trampolines, then $ended: $(cat $out/hostile.why)"
}
dump_hostile "" 2 4000 256 1
[ $ended = 2 ] && grep -q "more tables or slots than dump can list" $out/hostile.why || fail "dump of a hostile process: exit status $ended, expected 2 and a message about the number of tables"
dump_hostile --json 1 100 16 64
[ $ended = 0 ] && [ "$(grep -c '"stub"' $out/hostile.dump)" = 102400 ] || fail "dump --json of a hostile process: exit status $ended, expected 0 and 102,400 trampolines"
