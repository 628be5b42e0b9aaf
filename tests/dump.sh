# `statictramp dump` sees what a process says of itself: in the static table and in what it has grown by, in a stripped file
# and in one that was deleted. Sourced by the leg "host", which has set $library.

say "the trampolines of another process"
out=target/c
cargo build --quiet -p statictramp-cli
gcc -O2 -Wall -Wextra -Icapi/include tests/c/dumped.c "$library/libstatictramp.a" -o $out/dumped
strip -o $out/dumped-stripped $out/dumped
cp $out/dumped $out/dumped-deleted
for program in dumped dumped-stripped dumped-deleted; do
    $out/$program >$out/dumped.says &
    pid=$!
    wait_for ready $out/dumped.says
    [ $program != dumped-deleted ] || rm $out/dumped-deleted
    target/debug/statictramp dump $pid >$out/dumped.dump || fail "$program: it cannot be dumped"
    kill $pid
    wait $pid 2>/dev/null || :
    grep -v 'bound\|ready' $out/dumped.says | sort >$out/dumped.wanted
    sed -n 's/^  \(0x[0-9a-f]*\)  slot [0-9]*  callee \(0x[0-9a-f]*\).*  chain \(0x[0-9a-f]*\)$/\1 \2 \3/p' $out/dumped.dump | sort >$out/dumped.found
    cmp $out/dumped.wanted $out/dumped.found || fail "$program: not what it says of itself"
    read -r _ stub callee < <(grep bound $out/dumped.says)
    if [ $program = dumped-stripped ]; then
        grep -q "^  $stub  slot .*  callee $callee  chain .*  by way of 0x" $out/dumped.dump || fail "the bound one is not there"
    else
        grep -q "^  $stub  slot .*  callee $callee (second)  chain .*  by way of 0x.*statictramp_bind_0" $out/dumped.dump || fail "the bound one has no names"
    fi
    [ "$(grep -c 'stubs from' $out/dumped.dump)" -ge 2 ] || fail "$program: what it has grown by is not there"
    echo "$program: $(wc -l <$out/dumped.found) and a bound one, in $(grep -c 'stubs from' $out/dumped.dump) tables"
done
for wrong in $$ 999999999 many; do
    said=$(target/debug/statictramp dump $wrong 2>&1) && fail "dump $wrong succeeded"
    echo "dump $wrong: $said" | sed "s/$$/PID/g"
done
