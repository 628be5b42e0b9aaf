# `statictramp run --emulate`: programs of each compiler with trampolines on their stacks, run with stacks that are not
# executable. Output and exit status must equal those on an executable stack.
# Installs: gcc, gfortran, GNAT, flang 19 and 22, Python; GCC and gfortran 16 in .toolchains.
# Takes: 1 minute.

need gcc=gcc g++=g++ gfortran=gfortran flang-new-19=flang-19 flang-new-22=flang-22 gnatmake=gnat-12 readelf=binutils python3=python3
[ "$(uname -m)" = x86_64 ] || fail "this leg runs only on x86-64"
cargo build --quiet --release -p statictramp-cli
cargo build --quiet --release -p statictramp-emulate # separately: with the tool's features it would contain Rust's std
sources=$PWD/cli/tests/programs/emulate
out=$PWD/target/emulate
rm -rf "$out"
mkdir -p "$out"/prefix/{bin,lib/statictramp} "$out/programs"
cp target/release/statictramp "$out/prefix/bin"
cp target/release/libstatictramp_emulate.so "$out/prefix/lib/statictramp/emulate.so"
tool=$out/prefix/bin/statictramp
cd "$out/programs"

# ends FILE COMMAND...: runs a command with its output in FILE, and prints its exit status.
ends() {
    local status=0
    timeout -s KILL 120 "${@:2}" >"$1" 2>&1 </dev/null || status=$?
    echo $status
}
# same NAME [COMMAND...]: compares ./NAME on an executable stack with ./NAME under emulation, which COMMAND may start.
programs=0
same() {
    local with without
    readelf -lW "$1" | grep -q 'GNU_STACK.*RWE' || fail "$1 requests no executable stack, so the test would prove nothing"
    with=$(ends "$1.native" "./$1")
    without=$(ends "$1.emulated" "${@:2}" "$tool" run --emulate "./$1")
    [ "$with" = "$without" ] && cmp "$1.native" "$1.emulated" || fail "$1: exit status $with natively, $without under emulation: $(diff "$1.native" "$1.emulated")"
    programs=$((programs + 1))
}
# the_first SHARE WORD...: the first words of a list, in proportion to STATICTRAMP_EFFORT, at least one.
the_first() { printf '%s\n' "$@" | head -n "$(share $#)"; }

say "C, by GCC $(gcc -dumpversion)"
all=(-O2 "-O0 -fcf-protection -Wl,-z,ibt" "-O3 -no-pie" -O0 -O1 -O3 -Os "-O2 -fcf-protection -Wl,-z,ibt" "-O1 -no-pie -fcf-protection"
    "-O0 -no-pie -fcf-protection=none" "-O2 -flto" "-O2 -march=native" "-Os -no-pie" "-O3 -fcf-protection -no-pie" "-O1 -fno-plt -Wl,-z,now"
    "-O2 -fstack-protector-all -fstack-clash-protection")
variants=("${all[@]:0:$(($(share 16) > 3 ? $(share 16) : 3))}")
for number in "${!variants[@]}"; do
    for name in calls callbacks threads coroutines signals storm; do
        [ "$number" = 0 ] || [ $name = calls ] || [ "$effort" -ge 50 ] || continue
        # shellcheck disable=SC2086 # several words
        gcc -w ${variants[number]} "$sources/$name.c" -o "$name-$number" -pthread -Wl,--no-warn-execstack
        same "$name-$number"
    done
done

say "C++ exceptions, Ada, Fortran"
gcc -w -O2 -fexceptions -c "$sources/host.c"
g++ -O2 "$sources/throws.cc" host.o -o throws -Wl,--no-warn-execstack
same throws
gnatmake -q -O1 -ftrampolines "$sources/nested.adb" -o nested -largs -Wl,-z,execstack -Wl,--no-warn-execstack
same nested
for level in $(the_first O2 O0 O3 O1); do
    for compiler in gfortran flang-new-19 flang-new-22; do
        $compiler "-$level" "$sources"/{procedures,apply}.f90 -o "procedures-$compiler-$level" -Wl,-z,execstack -Wl,--no-warn-execstack
        same "procedures-$compiler-$level"
    done
done

say "the compilers and the C library of Debian sid"
need_sid gcc-16=gcc-16 gfortran-16=gfortran-16 ld=binutils /usr/include/stdio.h=libc6-dev
place=/tmp/emulate
rm -rf "${chroot:?}$place"
cp -r "$out/prefix" "$chroot$place"
cp "$sources"/* "$chroot$place"
mount_proc # copies are executed through it
sid=(chroot "$chroot" env -C "$place" LC_ALL=C)
for level in $(the_first O2 O0 O3 O1); do
    for name in calls callbacks threads signals procedures; do
        [ $name = calls ] || [ $name = procedures ] || [ "$effort" -ge 50 ] || continue
        case $name in
        procedures) in_sid $place gfortran-16 "-$level" procedures.f90 apply.f90 -o "$name-$level" -Wl,--no-warn-execstack ;;
        *) in_sid $place gcc-16 -w -std=gnu17 "-$level" $name.c -o "$name-$level" -pthread -Wl,--no-warn-execstack ;;
        esac
        cp "$chroot$place/$name-$level" "sid-$name-$level"
        with=$(ends native "${sid[@]}" "./$name-$level")
        without=$(ends emulated "${sid[@]}" bin/statictramp run --emulate "./$name-$level")
        [ "$with" = "$without" ] && cmp native emulated || fail "$name-$level of Debian sid: exit status $with natively, $without under emulation: $(diff native emulated)"
        programs=$((programs + 1))
    done
done

say "AddressSanitizer, as a shared library and linked"
for kind in "" -static-libasan; do
    # shellcheck disable=SC2086 # a word or none
    gcc -w -O1 -fsanitize=address $kind "$sources/calls.c" -o "asan$kind" -Wl,--no-warn-execstack
    same "asan$kind"
done

say "libraries"
mkdir -p beside
gcc -w -O2 -shared -fPIC -DNAME=from_beside "$sources/library.c" -o beside/libbeside.so -Wl,--no-warn-execstack
gcc -w -O2 -shared -fPIC -DNAME=from_loaded -DBESIDE=from_beside "$sources/library.c" -o libloaded.so -Lbeside -lbeside '-Wl,-rpath,$ORIGIN/beside' -Wl,--no-warn-execstack
gcc -w -O2 -shared -fPIC -DNAME=from_needed "$sources/library.c" -o beside/libneeded.so -Wl,--no-warn-execstack
gcc -w -O2 "$sources/loads.c" -o loads -Lbeside -lneeded '-Wl,-rpath,$ORIGIN/beside' -Wl,-rpath-link,beside -Wl,--no-warn-execstack
same loads

say "children, and threads and contexts of the C library"
gcc -w -O1 -static-pie "$sources/calls.c" -o static-pie -pthread -Wl,--no-warn-execstack
gcc -w -O1 "$sources/system.c" -o system -pthread -Wl,--no-warn-execstack
cp system not-executable
chmod 644 not-executable
same system

gcc -w -O1 "$sources/lookups.c" -o lookups -Wl,-z,now
[ "$(ends lookups.said env LD_DEBUG=libs,symbols "$tool" run --emulate ./lookups)" = 0 ] && grep -q 'transferring control: .*lookups' lookups.said ||
    fail "lookups: $(tail -n 3 lookups.said)"
sed -n '/transferring control: .*lookups/,$p' lookups.said | grep -o 'symbol=[^;]*' && fail "these functions were looked up while the program ran, not when it began"

say "while the kernel denies writable and executable memory"
if "$tool" run true 2>/dev/null; then
    same calls-0 "$tool" run
    same threads-0 "$tool" run
else
    echo "not available: this kernel has no PR_SET_MDWE"
fi

say "a program that attacks the handler"
gcc -w -O2 -pthread "$sources/hostile.c" -o hostile
for words in "" 1; do
    # shellcheck disable=SC2086 # a word or none
    [ "$(ends hostile.said "$tool" run --emulate ./hostile $words)" = $((128 + 11)) ] || fail "the program hostile was not killed by SIGSEGV"
    grep -v 'Segmentation fault' hostile.said | diff "$sources/hostile.txt" - || fail "the program hostile printed a different text (see above)"
done

gcc -w -O1 -fcf-protection=full -Wl,-z,ibt "$sources/pads.c" -o pads
readelf -n pads | grep -q IBT || fail "the file pads is not marked as having landing pads, so the test would prove nothing"
[ "$(ends pads.said "$tool" run --emulate ./pads)" = $((128 + 11)) ] && grep -q 'no landing pad' pads.said || fail "pads was not killed by SIGSEGV with the message \"no landing pad\": $(cat pads.said)"
gcc -w -O1 -fcf-protection=none "$sources/pads.c" -o no-pads
[ "$(ends pads.said "$tool" run --emulate ./no-pads)" = 0 ] && grep -q 'entered 2' pads.said || fail "no-pads failed, or did not print \"entered 2\": $(cat pads.said)"
gcc -w -O2 "$sources/blocked.c" -o blocked -Wl,--no-warn-execstack
[ "$(ends blocked.said "$tool" run --emulate ./blocked)" = 0 ] && [ "$(grep -c 'blocked SIGSEGV' blocked.said)" = 1 ] && grep -q '^1 2 3 -1$' blocked.said ||
    fail "blocked failed, or printed an unexpected text: $(cat blocked.said)"

say "a program and a library without PT_GNU_STACK"
gcc -w -O1 -shared -fPIC -DNAME=from_needed "$sources/library.c" -o libunmarked.so
gcc -w -O1 -pthread "$sources/rights.c" -o unmarked
gcc -w -O1 -pthread -DLOADS='"./libunmarked.so"' "$sources/rights.c" -o loads-unmarked
for file in unmarked libunmarked.so; do python3 "$OLDPWD/cli/tests/programs/audit/odd.py" unmarked $file; done
for program in unmarked loads-unmarked; do
    [ "$(ends said ./$program)" = 0 ] && grep -q 'thread rwxp' said || fail "$program: the thread's stack is not executable, so the test would prove nothing: $(cat said)"
    [ "$(ends said "$tool" run --emulate ./$program)" = 0 ] && grep -q 'main rw-p' said && grep -q 'thread rw-p' said || fail "$program under emulation: $(cat said)"
done

say "the cost"
gcc -w -O2 "$sources/cost.c" -o cost -Wl,--no-warn-execstack
status=$(ends cost.said "$tool" run --emulate ./cost)
cat cost.said
[ "$status" = 0 ] || fail "cost.c failed, or a call costs too much: exit status $status, expected 0"

say "programs that cannot be emulated, children, the report"
# refused STATUS TEXT PROGRAM...
refused() {
    [ "$(ends said "$tool" run --emulate "${@:3}")" = "$1" ] && grep -q "$2" said || fail "$3: $(cat said)"
}
printf 'int main(void) { return 9; }\n' >plain.c
gcc -static plain.c -o static
gcc plain.c -o setuid
cp setuid script
gcc -Wl,-z,execstack plain.c -o needless -Wl,--no-warn-execstack
chmod u+s setuid
refused 2 "statically linked" ./static
refused 2 "set-user-ID" ./setuid
refused 2 "no such program" ./missing
refused 2 "Permission denied" ./not-executable
mkfifo fifo
refused 2 "fifo: unsupported" --report fifo ./calls-0
(
    ulimit -f 1
    exec "$tool" run --emulate ./calls-0 2>said
) && fail "run --emulate succeeds although its copy of the program exceeds RLIMIT_FSIZE"
grep -q 'File too large' said || fail "run --emulate under RLIMIT_FSIZE printed \"$(cat said)\", expected \"File too large\""
refused 9 "audit --clear" ./needless
printf '#!/bin/sh\n./calls-0\nexec ./calls-0\n' >script
chmod +x script
refused "$(ends said ./calls-0)" "^" ./script
[ "$(grep -c , said)" = 2 ] || fail "the two children of a script did not print a line each: $(cat said)"
mkdir -p elsewhere/bin
cp "$tool" elsewhere/bin
[ "$(ends said elsewhere/bin/statictramp run --emulate ./plain)" = 2 ] && grep -q 'emulate.so is missing' said && [ "$(wc -l <said)" = 1 ] ||
    fail "the tool without emulate.so printed \"$(cat said)\", expected one line with \"emulate.so is missing\""
"$tool" run --emulate --report list ./callbacks-0 >/dev/null || :
for function in qsort nftw tsearch __cxa_atexit pthread_create sigaction; do
    grep -q " $function .*callbacks-0+0x" list || fail "the report of run --emulate does not list $function: $(cat list)"
done
"$tool" run --emulate --report /dev/full ./calls-0 >/dev/null 2>said || :
[ "$(cat said)" = "statictramp: cannot write /dev/full" ] || fail "run --emulate printed \"$(cat said)\", expected \"statictramp: cannot write /dev/full\""
# A report that exceeds the program's limit on the size of files does not kill the program.
gcc -w -O2 "$sources/limited.c" -o limited -Wl,--no-warn-execstack
limited=$(ends said "$tool" run --emulate --report limited.list ./limited) # the limit applies to the message as well
[ "$limited" = 6 ] && [ ! -s said ] || fail "run --emulate of a program that limits the size of files: exit status $limited, expected 6, and a message: $(cat said)"
"$tool" run --emulate --report limited.list ./limited 2>&1 | cat >said || limited=$?
[ "$limited" = 6 ] && grep -q '^statictramp: cannot write .*limited.list$' said ||
    fail "run --emulate of a program that limits the size of files: exit status $limited, expected 6; message \"$(cat said)\", expected that it cannot write limited.list"
"$tool" run --emulate --report list ./calls-0 >/dev/null || :
grep -qE '^ +1000  handler .* add[.0-9]* .*, main' list || fail "the report of run --emulate does not list 1,000 jumps handled for main: $(cat list)"
echo "$programs programs ended as on an executable stack"
