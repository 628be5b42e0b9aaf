# Signed slots on AArch64 (STATICTRAMP_SIGN), run by QEMU on processors with and without pointer authentication. Sourced by the
# leg hardened after flow.sh, which has built $installed without signatures.
# shellcheck disable=SC2086 # $with, $without, $way, $counting, $arguments: several words, or none

say "AArch64: signed slots, with landing pads"
# The `hardened` feature is enough to request signatures.
signed=target/prefix-signed/lib/libstatictramp.a
bti_library "$PWD/target/prefix-signed" FEATURES=hardened
aarch64-linux-gnu-gcc -mbranch-protection=standard -O2 -Wall -fno-builtin -nostdlib -static -Icapi/include "$flow" "$signed" -o "$out/flow-signed"
[ "$(features "$out/flow-signed")" = "BTI, PAC" ] || fail "the note of the program with signed slots lists \"$(features "$out/flow-signed")\", expected \"BTI, PAC\""
# has_signatures FILE: whether the first stub authenticates its target.
has_signatures() { aarch64-linux-gnu-objdump -d --no-show-raw-insn "$1" | grep -A 8 '<statictramp_c_0_1_stubs>:' | grep -q autia1716; }
has_signatures "$out/flow-signed" || fail "the library with the feature hardened does not sign slots"
! has_signatures "$out/flow-aarch64" || fail "slots are signed without a request"
with="$chroot/usr/bin/qemu-aarch64 -cpu max,pauth-impdef=on" without="qemu-aarch64-static -cpu cortex-a57"
$with "$out/flow-signed" || fail "flow.c with signed slots: exit status $?, expected 0"
$without "$out/flow-signed" || fail "flow.c with signed slots, without pointer authentication: exit status $?, expected 0"
echo "every jump lands on a landing pad"

say "AArch64: forged slots"
unsigned=$installed/libstatictramp.a
for library in signed unsigned; do
    aarch64-linux-gnu-gcc -O2 -Wall -Wextra -Werror -static -Icapi/include -Icapi/tests/programs/c tests/programs/hardened/forgery.c "${!library}" -pthread -o "$out/forgery-$library"
done
$with "$out/forgery-signed" faults "$(share 100)"
for way in "$without $out/forgery-signed" "$with $out/forgery-unsigned"; do
    $way runs 1 >"$out/said" || fail "$way: $(cat "$out/said")"
done
echo "control: without signatures, or without pointer authentication, each forgery succeeds"

say "AArch64: C programs with signed slots"
for program in plain types hosts grow storm; do
    aarch64-linux-gnu-gcc -O2 -w -static -DSTUB_STRIDE=32 $counting -Icapi/include capi/tests/programs/c/$program.c "$signed" -pthread -o "$out/$program-signed"
    case $program in
    hosts) arguments=$(share 20000) ;;
    storm) arguments=2 ;;
    *) arguments= ;;
    esac
    for way in "$with" "$without"; do
        timeout 300 $way "$out/$program-signed" $arguments >"$out/said" 2>&1 || fail "$way $program: $(tail -n 20 "$out/said")"
    done
done
echo "plain, types, hosts, grow and storm run with and without pointer authentication"
