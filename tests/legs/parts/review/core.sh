# Tests the pool and its environment: the source of the code for a new segment, the owner of the limit, cancelled threads, and
# rejected targets. Sourced by the leg review.
# shellcheck disable=SC2086 # $flags: several words, or none

need gcc=gcc setpriv=util-linux unshare=util-linux
library=$PWD/$(build_capi)
out=target/review-core
rm -rf $out
mkdir -p $out
flags="-O2 -g -Wall -Wextra -Icapi/include"

say "the file of the library is deleted, replaced or moved"
gcc $flags tests/programs/review/core/replaced.c "$library/libstatictramp.so" -Wl,-rpath,'$ORIGIN' -o $out/replaced
# put_aside HOW ANSWER [DIRECTORY [COMMAND...]]: checks the program's answer after the library's file has been changed
# in this way.
put_aside() {
    local how=$1 answer=$2 place=$PWD/$out/of-${3:-$1} said
    mkdir -p "$place"
    cp $out/replaced "$place"
    lay_shared_library "$library" "$place"
    cp "$place/libstatictramp.so.0" "$place/copy"
    said=$(timeout 20 "${@:4}" "$place/replaced" "$how" "$place/libstatictramp.so.0" "$place/copy") || fail "the library is $how: the program failed: $said"
    [ "$said" = "$answer" ] || fail "the library is $how: got $said instead of $answer"
    echo "$how${3:+, in a directory with an unusual name}: $said"
}
put_aside as-it-was "grown, named"
put_aside as-it-was "grown, named" $'line\nfeed'
put_aside as-it-was "full, nameless" "$(printf '/%0200d' 1 2 3 4 5)"
put_aside moved "grown, named"
for how in deleted-name pipe replaced link; do
    put_aside $how "full, nameless"
done
if [ "$(id -u)" = 0 ]; then
    put_aside mounted "full, nameless" mounted unshare --mount
else
    echo "mounted: not tried without root"
fi

source tests/legs/parts/review/core/changed.sh

say "STATICTRAMP_LIMIT is ignored in set-user-ID programs"
gcc $flags capi/tests/programs/c/grow.c "$library/libstatictramp.a" -pthread -o $out/grow
STATICTRAMP_LIMIT=1500 $out/grow 3000 expect-full x
if [ "$(id -u)" = 0 ]; then
    place=$(mktemp -d)
    chmod 755 "$place"
    cp $out/grow "$place"
    for owner in nobody:root root:nogroup; do
        chown $owner "$place/grow"
        chmod "$([ $owner = nobody:root ] && echo 4755 || echo 2755)" "$place/grow"
        STATICTRAMP_LIMIT=1500 setpriv --reuid=daemon --regid=daemon --clear-groups "$place/grow" 3000 ||
            fail "a set-user-ID or set-group-ID program of $owner failed: it obeyed STATICTRAMP_LIMIT, or $place is mounted nosuid"
    done
    rm -r "$place"
else
    echo "not tried without root"
fi

say "a thread that has been cancelled"
gcc $flags tests/programs/review/core/cancelled.c "$library/libstatictramp.a" -pthread -o $out/cancelled
timeout 20 $out/cancelled

say "invalid pointers are freed"
gcc $flags tests/programs/review/core/foreign.c "$library/libstatictramp.a" -o $out/foreign
timeout 20 $out/foreign

say "the first thread has ended"
gcc $flags tests/programs/review/core/leader.c "$library/libstatictramp.a" -pthread -o $out/leader
gcc $flags tests/programs/review/core/leader.c "$library/libstatictramp.so" -Wl,-rpath,"$library" -pthread -o $out/leader-shared
timeout 60 $out/leader
timeout 60 $out/leader-shared
source tests/legs/parts/review/core/targets.sh
