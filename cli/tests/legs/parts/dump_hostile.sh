# `statictramp dump` of hostile processes: it ends soon, with the documented exit code, and prints the valid part of their data;
# its output contains no terminal escapes. Sourced by the leg "tool", which has set $library.
# shellcheck disable=SC2086 # $command: several words, or none

say "the dump of a hostile or broken process"
cargo build --quiet -p statictramp-cli
tool=$PWD/target/debug/statictramp
out=$PWD/target/tool/hostile
mkdir -p "$out"
hostile="gcc -O2 -Wall -Wextra -Icapi/include cli/tests/programs/dump/hostile.c"
$hostile -rdynamic -o "$out/hostile"
$hostile -DWITH_LIBRARY "$library/libstatictramp.a" -o "$out/hostile-itself"
export LC_ALL=C.UTF-8

# begin COMMAND...: starts it in the background, and waits until it is ready; its process number is in $pid.
begin() {
    : >"$out/says"
    "$@" >"$out/says" &
    pid=$!
    wait_for ready "$out/says"
    grep -q ready "$out/says" || fail "$* did not become ready"
}
end() { kill -KILL $pid; wait $pid 2>/dev/null || :; }
# dumped CODE ARGUMENT...: runs the dump, with 500 MB of memory and 20 seconds; its output is in $out/dump and
# $out/complaint.
dumped() {
    local code=0
    (ulimit -v 500000 && exec timeout 20 "$tool" dump "${@:2}") >"$out/dump" 2>"$out/complaint" || code=$?
    [ $code = "$1" ] || fail "dump ${*:2}: exit status $code, expected $1: $(head -c 1000 "$out/complaint")"
    ! grep -q "panicked" "$out/complaint" || fail "dump ${*:2}: $(cat "$out/complaint")"
    ! LC_ALL=C grep -qP '[\x00-\x09\x0b-\x1f\x7f\xff]' "$out/dump" "$out/complaint" || fail "dump ${*:2} prints control characters"
}
# shows COUNT: the dump shows this many live trampolines.
shows() { [ "$(grep -c '  slot ' "$out/dump")" = "$1" ] || fail "the dump does not show $1 trampolines: $(head "$out/dump")"; }

# A library whose name and whose function's name contain terminal escapes and are not UTF-8.
name=$'\e]0;owned\a of a \xff\n note'
# note FILE [DEFINITION]...: builds a library with a note.
note() {
    gcc -c "${@:2}" cli/tests/programs/dump/note.S -o "$out/note.o"
    objcopy --redefine-sym "to_be_renamed=$name" "$out/note.o"
    gcc -shared -nostdlib "$out/note.o" -o "$1"
}
mkdir -p "$out/$name"
note "$out/$name/callee.so" -DSLOT=0
cp "$library/libstatictramp.so" "$out/$name/own.so"
begin "$out/hostile" load "$out/$name/own.so" "$name" "$out/$name/callee.so"
dumped 0 $pid
shows 3
shown='\\u{1b}]0;owned\\u{7} of a \\xff\\n note'
grep -q "(${shown/'\n'/'\\n'})  chain" "$out/dump" || grep -qF '(\u{1b}]0;owned\u{7} of a \xff\n note)  chain' "$out/dump" || fail "the dump does not name the function with unusual characters: $(cat "$out/dump")"
LC_ALL=C dumped 0 $pid
shows 3
end
echo "names with terminal escapes"

# Another file is at a library's path now: names come from the mapped file, or from none.
for other in fifo directory socket gone another sparse; do
    cp "$library/libstatictramp.so" "$out/own.so"
    [ $other != sparse ] || truncate -s 100G "$out/own.so"
    begin "$out/hostile" load "$out/own.so" callee_of_program
    [ $other = sparse ] || rm "$out/own.so"
    case $other in
    fifo) mkfifo "$out/own.so" ;;
    directory) mkdir "$out/own.so" ;;
    socket) perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1) or die' "$out/own.so" ;;
    another) echo "no library" >"$out/own.so" && mkfifo "$out/own.so (deleted)" ;;
    esac
    dumped 0 $pid
    shows 3
    setpriv --reuid 65534 --clear-groups true 2>/dev/null && ! setpriv --reuid 65534 --clear-groups "$tool" dump $pid >/dev/null 2>"$out/complaint" || fail "setpriv does not work here, or dump shows a process of another user"
    grep -q "ermission denied" "$out/complaint" || fail "dump of a process of another user does not print \"Permission denied\": $(cat "$out/complaint")"
    end
    rm -rf "$out/own.so" "$out/own.so (deleted)"
done
echo "a FIFO, a directory, a socket, nothing, another file, 100 GB where a library was"

# Invalid notes: skipped, or the memory that they point to cannot be read.
for lie in SLOTS=0xffffffff SLOTS=0 SLOT=0 SLOT=8 SLOT=0xffffffff STUB=0 STUB=0xffffffff; do
    note "$out/lie.so" -D$lie
    begin "$out/hostile" load "$library/libstatictramp.so" callee_of_program "$out/lie.so"
    dumped 0 $pid
    shows 3
    end
done
for lie in "-DWHERE=0x7fffffffffff0000" "-DWHERE=-0x10000000" "-DSLOTS=1048576 -DSLOT=256"; do
    read -ra words <<<"$lie"
    note "$out/lie.so" "${words[@]}"
    begin "$out/hostile" load "$library/libstatictramp.so" callee_of_program "$out/lie.so"
    dumped 2 $pid
    shows 3
    end
done
echo "invalid notes"

# Many mappings; truncated files; memory and files whose reads never return.
head -c 4096 "$library/libstatictramp.so" >"$out/head"
begin "$out/hostile" many "$out/head" 60000
dumped 1 $pid
end
printf '\177ELF\1\1' >"$out/narrow"
truncate -s 4096 "$out/narrow"
head -c 4096 /dev/urandom >"$out/random"
(printf '\177ELF\2\1' && tail -c +7 "$out/random") >"$out/wild"
begin "$out/hostile" map "$out/random" "$out/wild" "$out/narrow" "$out/head"
dumped 2 $pid
grep -q "32-bit program" "$out/complaint" || fail "dump does not report that the process runs a 32-bit program: $(cat "$out/complaint")"
end
begin "$out/hostile-itself" never
! grep -q "not allowed" "$out/says" || echo "userfaultfd: not allowed here"
mkfifo "$out/nobody-writes"
SECONDS=0
[ "$(cat "$out/says")" != ready ] || dumped 2 $pid --seconds 5
dumped 2 $pid --seconds 1 --layout "$out/nobody-writes"
grep -q "within 1 seconds" "$out/complaint" || fail "dump does not report that the layout file could not be read within 1 second: $(cat "$out/complaint")"
[ $SECONDS -lt 15 ] || fail "dump waited $SECONDS s for a layout file that cannot be read, expected less than 15 s"
end
echo "60,000 mappings, other files, files that never answer"

# A descriptor that changes while it is read; invalid layouts.
begin "$out/hostile-itself" descriptor
printf '# a comment\ncallee_of_program a: descriptor(1), b: character, p: pointer, q: procedure\n' >"$out/layout"
for ((i = $(share 1000); i > 0; i--)); do
    dumped 0 $pid --layout "$out/layout"
    shows 1
    grep -q '^    a: ' "$out/dump" || fail "dump does not show the captured variable a: $(cat "$out/dump")"
done
dumped 0 --layout <(cat "$out/layout") $pid
for wrong in "callee_of_program a: integer(\e[2J)" "f \xff" "f a: descriptor(16)" "f {{{{{{{{{{ptr" "f [99999999999999999999 x i8]"; do
    printf '%b' "$wrong" >"$out/layout"
    dumped 2 $pid --layout "$out/layout"
done
for wrong in /dev/zero /nowhere "$out" $'/no\e[2Jwhere\xff'; do dumped 2 $pid --layout "$wrong"; done
end
echo "a descriptor that changes all the time, and layouts of nonsense"

# Processes that do not exist, or have no program.
sleep 0.01 &
gone=$!
perl -e '$SIG{CHLD} = "DEFAULT"; my $child = fork // die; exit unless $child; print "$child ready\n"; $| = 1; sleep 60' >"$out/says" &
pid=$!
wait_for ready "$out/says"
sleep 1
wait $gone
dumped 2 "$(sed 's/ .*//' "$out/says")"
end
dumped 2 $gone
[ "$(cat /proc/2/comm 2>/dev/null)" != kthreadd ] || dumped 2 2
dumped 1 $$
for wrong in "" many -1 0 99999999999999999999 $'\xff' $'1\e[2J'; do dumped 2 "$wrong"; done
dumped 2
dumped 2 1 2
dumped 2 $$ --seconds
dumped 2 $$ --seconds -1
dumped 2 $$ --layout

# Another mount namespace, in which the library's path names another file.
if unshare -m true 2>/dev/null; then
    mkdir -p "$out/hidden"
    begin unshare -m sh -c 'mount -t tmpfs none "$2/hidden" && cp "$1/libstatictramp.so" "$2/hidden/own.so" && exec "$2/hostile" load "$2/hidden/own.so" callee_of_program' \
        sh "$library" "$out"
    mkfifo "$out/hidden/own.so"
    dumped 0 $pid
    shows 3
    grep -q '(callee_of_program)' "$out/dump" || fail "dump does not find names in another mount namespace"
    end
fi
echo "no process, a zombie, a kernel thread, another namespace, nonsense"

# Failing outputs.
begin "$out/hostile" load "$library/libstatictramp.so" callee_of_program
"$tool" dump $pid | head -n 1 >"$out/dump"
grep -q "3 of" "$out/dump" || fail "the first line of dump | head does not contain \"3 of\": $(cat "$out/dump")"
for command in "dump $pid" --help --version ""; do
    code=0
    "$tool" $command >/dev/full 2>"$out/complaint" || code=$?
    grep -q "^statictramp: cannot write to standard output: No space left" "$out/complaint" || fail "$command >/dev/full does not report the full disk: $(cat "$out/complaint")"
    [ $code = 1 ] || fail "$command >/dev/full: exit status $code, expected 1"
    "$tool" $command >&- || fail "$command >&-"
    (set +o pipefail; "$tool" $command | true) 2>"$out/complaint"
    [ ! -s "$out/complaint" ] || fail "$command | true: $(cat "$out/complaint")"
done
code=0
"$tool" dump 0 2>/dev/full || code=$?
[ $code = 2 ] || fail "dump 0 2>/dev/full: exit status $code, expected 2"
end
echo "head, a full disk, a closed output"
