# Conventions of the command-line tool: help, versions, usage errors, closed pipes and full disks, JSON, completions,
# the manual page, and programs that it runs. Sourced by the leg "tool".

cargo build --quiet --release -p statictramp-cli
tool=$PWD/target/release/statictramp
out=$PWD/target/tool
# ends STATUS ARGUMENT...: the tool exits with this status; its output is in $said.
ends() {
    local status=0
    said=$("$tool" "${@:2}" 2>&1) || status=$?
    [ $status = "$1" ] || fail "statictramp ${*:2}: exit status $status, expected $1: $said"
    ! grep -q panicked <<<"$said" || fail "statictramp ${*:2}: $said"
}

say "help, versions, usage errors"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
for command in "" flags dump audit run captures completions man; do
    # shellcheck disable=SC2086 # a word or none
    for option in --help -h; do
        ends 0 $command $option
        grep -q "Usage: statictramp${command:+ $command}" <<<"$said" || fail "$command $option printed no usage line: $said"
    done
    # shellcheck disable=SC2086 # a word or none
    ends 0 $command --version
    [ "$said" = "statictramp${command:+ $command} $version" ] || fail "$command --version printed \"$said\", expected the name and version $version"
    # shellcheck disable=SC2086 # a word or none
    ends 2 $command --no-such-option
    grep -q "Usage: statictramp" <<<"$said" && grep -q -- "--help" <<<"$said" || fail "$command --no-such-option printed no usage line, or did not mention --help: $said"
done
for wrong in nonsense dump "dump 1 2" "dump 1 --seconds" "dump 1 --seconds -1" audit "audit --pid" "audit --pid x" "audit --in-place $tool" \
    "flags --c --flang" "flags --prefix" run captures "captures --compile" "captures --keeps" completions "completions no-shell" "--json audit" "man page"; do
    # shellcheck disable=SC2086 # several words
    ends 2 $wrong
    [ "$(grep -c . <<<"$said")" -le 8 ] || fail "$wrong: the error message has more than eight lines: $said"
done
ends 2 $'\e[31m'
! grep -q $'\e' <<<"$said" || fail "the error message contains control sequences from the command line"

say "the plugin for a compiler"
mkdir -p "$out"/several/{bin,lib,include}
touch "$out"/several/lib/{libstatictramp.a,libstatictramp_flang-19.so,libstatictramp_flang-23.so} "$out/several/include/statictramp.h"
for version in 19.1.7 22.1.0 23.0.0; do
    printf '#!/bin/sh\necho "Debian flang-new version %s (1)"\n' $version >"$out/several/bin/flang-${version%%.*}"
done
printf '#!/bin/sh\necho "gcc (Debian 12) 12.2.0"\n' >"$out/several/bin/gcc"
chmod +x "$out"/several/bin/*
# The build directory may contain a plugin, whose LLVM its name does not show.
mkdir -p "$out/alone"
cp "$tool" "$out/alone"
built=$tool tool=$out/alone/statictramp
for version in 19 23; do
    for option in "" --flang; do
        # shellcheck disable=SC2086 # a word or none
        ends 0 flags --prefix "$out/several" $option "$out/several/bin/flang-$version"
        [ "$said" = "-fpass-plugin=$out/several/lib/libstatictramp_flang-$version.so $out/several/lib/libstatictramp.a" ] || fail "flags $option flang-$version: $said"
    done
done
ends 1 flags --prefix "$out/several" "$out/several/bin/flang-22"
grep -q "no plugin for LLVM 22.*LLVM_CONFIG=llvm-config-22 flang/install.sh" <<<"$said" || fail "$said"
ends 1 flags --prefix "$out/several" "$out/several/bin/gcc"
ends 1 flags --prefix "$out/several" "$out/several/bin/none"
ends 0 flags --prefix "$out/several" --flang
grep -q "several plugins are installed" <<<"$said" || fail "$said"
ends 2 flags --c flang-19
tool=$built

say "closed pipes and full disks"
for command in "" --json --help "audit --help" man "completions bash" "audit /usr/bin --all"; do
    # shellcheck disable=SC2086 # several words
    (set -o pipefail; "$tool" $command 2>"$out/complaint" | head -n 1 >/dev/null) || fail "$command | head: exit status $?, expected 0"
    [ ! -s "$out/complaint" ] || fail "$command | head: $(cat "$out/complaint")"
    status=0
    # shellcheck disable=SC2086 # several words
    "$tool" $command >/dev/full 2>"$out/complaint" || status=$?
    [ $status != 0 ] && ! grep -q panicked "$out/complaint" && grep -q 'No space left' "$out/complaint" ||
        fail "$command >/dev/full: exit status $status: $(cat "$out/complaint")"
    # shellcheck disable=SC2086 # several words
    "$tool" $command >/dev/null 2>&- || [ "$command" = "audit /usr/bin --all" ] || fail "$command 2>&- failed"
done

say "machine-readable output"
"$tool" --json | python3 -c 'import json, sys; it = json.load(sys.stdin); assert it["alive_now"] == 0 and it["slots"] == 1024, it'
"$tool" --json --static | python3 -c 'import json, sys; it = json.load(sys.stdin); assert it["grown"] is None, it'
"$tool" audit --json --all "$tool" | python3 -c 'import json, sys
it = json.load(sys.stdin)
assert it["looked_at"] == 1 and it["files"][0]["tables"][0]["state"] == "whole", it'
# shellcheck disable=SC1090 # it is generated here
(source <("$tool" completions bash) && complete -p statictramp) >/dev/null || fail "bash rejects the completions"
for shell in zsh fish elvish powershell; do
    [ -n "$("$tool" completions $shell)" ] || fail "completions $shell printed nothing"
done
"$tool" man >"$out/statictramp.1"
man --warnings -l "$out/statictramp.1" 2>"$out/warnings" >"$out/page"
[ ! -s "$out/warnings" ] || fail "man reports errors in the manual page: $(cat "$out/warnings")"
for option in --static --layout --in-place --pid PROGRAM --compile --emulate --report; do
    grep -q -- "$option" "$out/page" || fail "the manual page has no $option"
done

say "a program under the rule"
ends 7 run sh -c 'exit 7'
ends 2 run /no/such/program
ends 0 run echo --json -h
[ "$said" = "--json -h" ] || fail "run does not pass the program's options on: $said"
cat >"$out/greedy.c" <<'C'
#include <sys/mman.h>
int main(void)
{
    return mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}
C
gcc "$out/greedy.c" -o "$out/greedy"
"$out/greedy" || fail "a program gets no writable and executable memory even without \"statictramp run\", so this test proves nothing"
ends 1 run "$out/greedy"
ends 0 run "$tool"
