# Tests `statictramp audit`: its verdicts for the output of each compiler, for files that request no executable stack, and for
# corrupt files.
# Installs: GCC, gfortran, GNAT and clang for x86-64 and other processors, flang 19 and 22, MinGW; GCC 14 and 16 and flang 23
#   in .toolchains.
# Takes: 4 minutes.

need gcc=gcc python3=python3 gfortran=gfortran flang-new-19=flang-19 flang-22=flang-22 ar=binutils perl=perl \
    aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu riscv64-linux-gnu-gcc=gcc-riscv64-linux-gnu arm-linux-gnueabihf-gcc=gcc-arm-linux-gnueabihf i686-linux-gnu-gcc=gcc-i686-linux-gnu clang-19=clang-19 clang-22=clang-22 gcc-12=gcc-12 gnatmake=gnat-12 \
    x86_64-w64-mingw32-gcc=gcc-mingw-w64-x86-64 ld.lld-19=lld-19 script=bsdutils setpriv=util-linux zstd=zstd
need_sid gcc-14=gcc-14 gcc-16=gcc-16 flang-23=flang-23 upx=upx-ucl
source tests/legs/parts/machines.sh
need_machines as # for audit_tables.sh
need_trampoline_compilers
out=$PWD/target/audit
rm -rf "$out"
mkdir -p "$out/positive" "$out/negative" "$out/broken"
need_test_tools
cargo build --quiet --release -p statictramp-cli
tool=$PWD/target/release/statictramp

# verdict WORD STATUS FILE...: each file must get this verdict, and the tool must exit with this status.
verdict() {
    local word=$1 wanted=$2 file said status
    for file in "${@:3}"; do
        status=0
        said=$("$tool" audit --json "$file") || status=$?
        [ $status = "$wanted" ] || fail "audit $file: exit status $status, expected $wanted: $said"
        [ "$word" = clean ] || grep -q "\"verdict\": \"$word\"" <<<"$said" || fail "audit $file: the verdict is not \"$word\": $said"
    done
}

say "compiler output"
for level in -O0 -O1 -O2 -O3 -Os; do
    for more in "-fPIC" "-fno-pie" "-fPIC -fcf-protection=full" "-fPIC -g" "-m32 -fPIC" "-m32 -fno-pie"; do
        # shellcheck disable=SC2086 # several words
        gcc $level $more -DWITHOUT_MAIN -c cli/tests/programs/audit/nested.c -o "$out/positive/gcc$level${more// /}.o"
    done
    gfortran $level -c cli/tests/programs/audit/internal.f90 -o "$out/positive/gfortran$level.o"
    for name in $(machine_names); do
        machine "$name"
        IFS=';' read -r -a compilers <<<"$trampolines"
        for compiler in "${compilers[@]}"; do
            case $compiler in
            gcc*)
                # shellcheck disable=SC2086 # several words
                $gnu-$compiler $level -w -DWITHOUT_MAIN -c cli/tests/programs/audit/nested.c -o "$out/positive/$gnu-${compiler// /}$level.o"
                ;;
            clang)
                for version in 19 22; do
                    [ "$version-$name" != 19-riscv64 ] || continue # it generates no code for this processor
                    clang-$version $level -w --target="$gnu" -c cli/tests/programs/audit/trampoline.ll -o "$out/positive/clang-$version-$gnu$level.o"
                done
                ;;
            *) fail "tests/legs/parts/machines.sh: $name names an unknown compiler: $compiler" ;;
            esac
        done
    done
    riscv64-linux-gnu-gcc $level -march=rv32imac -mabi=ilp32 -w -DWITHOUT_MAIN -c cli/tests/programs/audit/nested.c -o "$out/positive/rv32$level.o"
    gcc $level -c cli/tests/programs/audit/host.adb -o "$out/host.o" # gnat requires its own file name
    mv "$out/host.o" "$out/positive/gnat$level.o"
    [ $level != -Os ] || continue
    for version in new-19 22; do
        for target in x86_64 aarch64 riscv64; do
            flang-$version $level --target=$target-linux-gnu -c cli/tests/programs/audit/internal.f90 -o "$out/positive/flang-$version-$target$level.o" 2>/dev/null ||
                echo "flang-$version $level compiles nothing for $target"
        done
    done
done
place=/statictramp-audit
rm -rf "$chroot$place"
mkdir -p "$chroot$place"
find cli/tests/programs/audit -maxdepth 1 -type f -exec cp -t "$chroot$place" {} +
for level in -O0 -O2 -O3; do
    for version in 14 16; do
        in_sid $place gcc-$version $level -w -DWITHOUT_MAIN -c nested.c -o gcc-$version$level.o
    done
    in_sid $place flang-23 $level -c internal.f90 -o flang-23$level.o
done
cp "$chroot$place"/*.o "$out/positive"
# Other static-chain registers, Thumb-1, 32-bit pointers, big-endian.
number=0
while read -r words; do
    # shellcheck disable=SC2086 # several words
    $words -w -DWITHOUT_MAIN -c cli/tests/programs/audit/nested.c -o "$out/positive/odd-$((number += 1)).o"
done <<'ODD'
gcc -m32 -O2 -mregparm=3
gcc -m32 -O0 -mregparm=3 -fPIC
gcc -m32 -O2 -DCONVENTION=__attribute__((fastcall))
gcc -mx32 -O2
gcc -O2 -flto -ffat-lto-objects -ffunction-sections
arm-linux-gnueabihf-gcc -O2 -mthumb -march=armv5te -mfloat-abi=soft
arm-linux-gnueabihf-gcc -O2 -mbig-endian
arm-linux-gnueabihf-gcc -O2 -mbig-endian -marm
aarch64-linux-gnu-gcc -O2 -mabi=ilp32
aarch64-linux-gnu-gcc -O2 -mbig-endian
ODD
for file in "$out"/positive/*.o; do
    status=0
    said=$("$tool" audit --json "$file") || status=$?
    [ $status = 1 ] || fail "audit $file: exit status $status, expected 1: $said"
    grep -qE '"verdict": "(needed|not-asked)"' <<<"$said" || fail "$file writes a trampoline, but the verdict is: $said"
done
echo "$(find "$out/positive" -name '*.o' | wc -l) objects of 17 compilers: each is detected"

say "linked, stripped, in an archive, and with the note removed"
gcc -O2 cli/tests/programs/audit/nested.c -o "$out/needed" 2>/dev/null
strip -o "$out/stripped" "$out/needed"
gcc -O2 -z noexecstack cli/tests/programs/audit/nested.c -o "$out/hidden"
verdict needed 1 "$out/needed" "$out/stripped"
verdict not-asked 1 "$out/hidden"
"$out/needed" >/dev/null
{ "$out/hidden"; } >/dev/null 2>&1 && fail "a trampoline runs on a non-executable stack, so this test proves nothing"
said=$("$tool" audit "$out/needed") && fail "audit $out/needed: exit status 0, expected 1"
grep -q 'in host' <<<"$said" || fail "audit does not name the function that writes the trampoline: $said"
gcc -c cli/tests/programs/audit/plain.c -o "$out/plain.o"
as cli/tests/programs/audit/plain.s -o "$out/answer.o"
ar rcs "$out/mixed.a" "$out/plain.o" "$out/answer.o" "$out/positive/gcc-O2-fPIC.o"
said=$("$tool" audit "$out/mixed.a") && fail "audit reports no finding for an archive that contains a trampoline"
grep -q 'mixed.a(answer.o): does not say' <<<"$said" && grep -q 'mixed.a(gcc-O2-fPIC.o): needs' <<<"$said" || fail "$said"
! grep -q 'plain.o' <<<"$said" || fail "$said"
gcc "$out/plain.o" "$out/answer.o" -o "$out/asks" 2>/dev/null
verdict asked-only 1 "$out/asks"
"$tool" audit --clear "$out/asks" >/dev/null || fail "audit --clear $out/asks: exit status $?, expected 0"
verdict clean 0 "$out/asks.cleared"
[ "$(stack_rights "$out/asks.cleared")" = RW ] && "$out/asks.cleared" || fail "the cleared copy still requests an executable stack, or does not run"
[ "$(stack_rights "$out/asks")" = RWE ] || fail "audit --clear changed the original file"
said=$("$tool" audit --json --clear "$out/asks" 2>&1) && fail "audit --clear of a file whose copy exists: exit status 0"
rm "$out/asks.cleared"
said=$("$tool" audit --json --clear "$out/asks" || :)
grep -q '"cleared": ".*/asks.cleared"' <<<"$said" || fail "JSON output does not mention the copy: $said"
ar rcs "$out/inner.a" "$out/positive/gcc-O2-fPIC.o"
ar rcs "$out/outer.a" "$out/plain.o" "$out/inner.a"
verdict needed 1 "$out/outer.a"
objcopy --only-keep-debug "$out/needed" "$out/needed.debug"
status=0
"$tool" audit "$out/needed.debug" >/dev/null 2>&1 || status=$?
[ $status = 2 ] || fail "audit accepts a file that contains only debug information: exit status $status, expected 2"
printf '.section .note.GNU-stack,"x",@progbits\n' | sed 's/@/%/' >"$out/other.s"
clang-19 --target=ve-linux-gnu -c "$out/other.s" -o "$out/ve.o"
verdict asked 1 "$out/ve.o"
printf '.section .note.GNU-stack,"",%%progbits\n' >"$out/other.s"
clang-19 --target=ve-linux-gnu -c "$out/other.s" -o "$out/ve.o"
verdict unknown 0 "$out/ve.o"
gcc -flto -O2 -c cli/tests/programs/audit/plain.c -o "$out/lto.o"
verdict unknown 0 "$out/lto.o"

# kind NAME FILE: a file has this kind, which --quick must not change.
kind() {
    local depth said
    for depth in "" --quick; do
        said=$("$tool" audit --json --all ${depth:+"$depth"} "$2") || fail "audit $depth $2: exit status $?, expected 0: $said"
        grep -q "\"kind\": \"$1\"" <<<"$said" || fail "audit $depth $2: the kind is not \"$1\": $said"
    done
}
printf 'int main(void) { return 0; }\n' >"$out/kind.c"
for way in -static-pie -static -pie -no-pie -shared; do gcc "$out/kind.c" $way -fPIC -o "$out/kind$way"; done
for way in -static-pie -pie -no-pie; do gcc "$out/kind.c" $way -fPIC -Wl,-soname,kind -o "$out/named$way"; done
clang-19 "$out/kind.c" -static-pie -fuse-ld=lld -o "$out/kind-lld"
kind static-program "$out/kind-static-pie"
kind static-program "$out/kind-static"
kind static-program "$out/kind-lld"
kind program "$out/kind-pie"
kind program "$out/kind-no-pie"
kind static-program "$out/named-static-pie"
kind program "$out/named-pie"
kind program "$out/named-no-pie"
kind library "$out/kind-shared"
kind library /lib64/ld-linux-x86-64.so.2
kind library /lib/x86_64-linux-gnu/libc.so.6 # like some other libraries, it has an interpreter

source cli/tests/legs/parts/audit_more.sh
source cli/tests/legs/parts/audit_hardening.sh
source cli/tests/legs/parts/audit_wild.sh
source cli/tests/legs/parts/audit_odd.sh
source cli/tests/legs/parts/audit_tables.sh
source cli/tests/legs/parts/audit_proof.sh
source cli/tests/legs/parts/audit_packages.sh
source cli/tests/legs/parts/audit_formats.sh
source cli/tests/legs/parts/audit_clear.sh

say "processes"
"$out/needed" >/dev/null
"$tool" audit --pid $$ >/dev/null || fail "audit --pid of this shell: exit status $?, expected 0"
gcc -O2 -Dmain=once cli/tests/programs/audit/nested.c cli/tests/programs/audit/waits.c -o "$out/deleted" 2>/dev/null
"$out/deleted" &
waiting=$!
wait_until_sleeps $waiting "$out/deleted"
rm "$out/deleted"
status=0
said=$("$tool" audit --pid $waiting) || status=$?
kill $waiting
[ $status = 1 ] && grep -q 'exe: needs' <<<"$said" || fail "audit --pid of a program whose file was deleted: exit status $status, expected 1 and a verdict: $said"
for wrong in 999999999 many ""; do
    status=0
    "$tool" audit --pid $wrong >/dev/null 2>&1 || status=$?
    [ $status = 2 ] || fail "audit --pid $wrong: exit status $status, expected 2"
done

say "no false verdicts on the files that Debian has installed here"
findings=$("$tool" audit --json /usr/bin /usr/sbin /usr/lib/x86_64-linux-gnu | grep -cE '"verdict": "(needed|not-asked|asked-only)"' || :)
[ "$findings" = 0 ] || fail "audit gives the verdict needed, not-asked or asked-only for $findings of Debian's files"
("$tool" audit /usr/bin /usr/lib/x86_64-linux-gnu || :) | tail -n 1

say "corrupt and unusual files"
number=$(share 20000)
for ((i = 0; i < number; i++)); do
    case $((i % 4)) in 0) from=$out/needed ;; 1) from=$out/mixed.a ;; 2) from=$out/positive/gcc-O2-fPIC.o ;; 3) from=$out/asks ;; esac
    "$test_tools" mutate-bytes $i "$from" "$out/broken/$i"
done
status=0
timeout 600 "$tool" audit --clear "$out/broken" >"$out/broken.said" 2>&1 || status=$?
[ $status -le 2 ] || fail "audit --clear of corrupt files: exit status $status, expected at most 2: $(tail -n 3 "$out/broken.said")"
! grep -q panicked "$out/broken.said" || fail "$(grep panicked "$out/broken.said")"
mkdir -p "$out/hostile"
python3 cli/tests/programs/audit/hostile.py "$out/hostile"
for file in "$out"/hostile/*; do
    status=0
    said=$(ulimit -v 1000000; timeout 60 "$tool" audit "$file" 2>&1) || status=$?
    [ $status = 2 ] || fail "audit $file: exit status $status, expected 2: $said"
    ! grep -q $'[\e\a]' <<<"$said" || fail "audit $file: the output contains control sequences"
done
mkfifo "$out/fifo"
: >"$out/empty"
head -c 20 "$out/needed" >"$out/short"
cp "$out/needed" "$out/$(printf 'no\377name')"
for odd in fifo empty short nothing; do
    status=0
    timeout 10 "$tool" audit "$out/$odd" >/dev/null 2>&1 || status=$?
    [ $status = 2 ] || fail "audit $odd: exit status $status, expected 2"
done
verdict needed 1 "$out/$(printf 'no\377name')"
("$tool" audit /usr/bin "$out/broken" || [ $? -le 2 ]) 2>/dev/null | head -n 1 >/dev/null
status=0
"$tool" audit "$out/needed" >/dev/full 2>/dev/null || status=$?
[ $status = 2 ] || fail "audit does not report that the disk is full: exit status $status, expected 2"
echo "$number corrupt files, a FIFO, an empty and a short file, a name that is not UTF-8, a closed pipe and a full disk"

mkdir -p "$out/seeds"
find "$out" "$out/tables" -maxdepth 1 -type f -size -64k -size +0 -exec cp -t "$out/seeds" {} +
cp "$out"/positive/odd-* "$out"/positive/*-O2.o "$out/seeds"
source cli/tests/legs/parts/audit_fuzz.sh
