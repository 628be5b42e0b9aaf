# Tests the library by itself when the system denies operations. Sourced by the leg hardened.
# shellcheck disable=SC2086 # $restriction: several words, or none

client=tests/programs/hardened/client.c
for name in library large; do
    gcc -O2 -Wall -Wextra -Werror -Icapi/include $client "${!name}/libstatictramp.a" -o "$out/client-$name"
done
gcc -O2 -Icapi/include $client -L"$out" -lstatictramp -Wl,-rpath,"$out" -o "$out/client-shared" # $ORIGIN comes from /proc

say "the restrictions take effect"
printf '%s\n' '#include <sys/mman.h>' '#include <stdlib.h>' '#include <stdio.h>' 'int main(int argc, char **argv)' '{' \
    '    (void)argv; FILE *maps = fopen("/proc/self/maps", "r"), *file = fopen("'"$out/written"'", "w");' \
    '    void *page = mmap(0, 4096, argc == 1 ? PROT_READ | PROT_WRITE | PROT_EXEC : PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);' \
    '    return (page != MAP_FAILED) + 2 * (maps != 0) + 4 * (file != 0) + 8 * (malloc(8ul << 30) != 0);' '}' |
    gcc -O0 -x c - -o "$out/rights"
for wanted in none:15 mdwe:14 kill:159 eperm:14 no-proc:13 read-only:11 address:7; do
    restriction=${wanted%:*}
    case " none $restrictions " in *" $restriction "*) ;; *) continue ;; esac
    status=0
    under "$restriction" "$out/rights" || status=$?
    [ $status = "${wanted#*:}" ] || fail "$restriction: the exit status that encodes the permitted operations is $status, expected ${wanted#*:}"
done
status=0
under kill "$out/rights" x || status=$?
[ $status = 15 ] || fail "kill: a request for non-executable memory: exit status $status, expected 15"
echo "$restrictions"

say "creation, calls, frees, a full table, calls after free, hosts abandoned by longjmp"
for restriction in $restrictions; do
    case $restriction in
    kill | eperm | no-proc) wanted=static ;;
    *) wanted=grows ;;
    esac
    for program in library shared; do
        limit=1024 runs $restriction "the client ($program)" "$out/client-$program" $wanted
        printf '%-10s %-8s %s\n' $restriction $program "$(cat "$out/said")"
    done
done
# The negative control tries growth although it kills the process. This shows that the filter works.
status=0
"$restrict" no-exec=kill -- "$out/client-library" grows >/dev/null 2>&1 || status=$?
[ $status = 159 ] || fail "growth under the filter that kills: exit status $status, expected 159 (SIGSYS)"
echo "control: growth ends the process under a filter that kills"

say "each system call denied in turn"
grown='' static=''
for call in open openat read pread64 write close pipe2 mmap munmap gettid getpid sigaltstack rt_sigprocmask rt_sigaction \
    sched_getaffinity madvise mprotect membarrier prlimit64 futex getrandom brk prctl mseal pkey_alloc process_vm_readv \
    memfd_create fstat newfstatat fcntl; do
    "$restrict" refuse=$call -- "$out/client-library" may-grow >"$out/said" 2>&1 || fail "without $call: $(cat "$out/said")"
    case $(cat "$out/said") in 1024*) static="$static $call" ;; *) grown="$grown $call" ;; esac
    status=0
    "$restrict" refuse=$call -- "$out/client-library" dies >"$out/said" 2>&1 || status=$?
    # The signal with which glibc's abort can still end the process. Without gettid, this is the signal of a faulting instruction.
    case $status in 134 | 139) ;; *) fail "without $call: a call after free: exit status $status, expected 134 or 139: $(cat "$out/said")" ;; esac
    [ $call = write ] || grep -q '^statictramp: call through a freed trampoline: slot' "$out/said" ||
        fail "without $call: a call after free did not print its diagnosis: $(cat "$out/said")"
done
echo "everything works without any one of:$grown"
echo "everything except growth works without:$static"

say "little address space: a full table is the documented error"
gcc -O2 -w -pthread -Icapi/include capi/tests/programs/c/grow.c "$library/libstatictramp.a" -o "$out/grow"
for mib in 16 32 64; do
    printf '%s MiB: ' $mib
    "$restrict" address=$mib -- "$out/grow" 1000000 expect-full x
done

say "the tool's main job"
cargo build --quiet --release -p statictramp-cli
tool=target/release/statictramp
for restriction in $restrictions; do
    case $restriction in
    kill | no-proc) word=--static ;;
    *) word= ;;
    esac
    # shellcheck disable=SC2086 # no word or one
    limit=1024 runs $restriction "the tool" $tool $word
done
status=0
"$restrict" no-exec=kill -- $tool >/dev/null 2>&1 || status=$?
[ $status = 159 ] || fail "the tool without --static under the filter that kills: exit status $status, expected 159 (SIGSYS)"
"$restrict" no-exec=kill -- $tool --static | grep -E 'alive at once|growth'

say "read-only slots: the cost of protecting them, and the faults"
gcc -O2 -Wall -Wextra -Werror tests/programs/hardened/seal.c -o "$out/seal"
"$out/seal"
