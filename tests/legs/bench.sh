# What it costs, beside floors and the real runtimes of flang and GCC, all in one run.
# Leaves target/bench/table.md, and criterion's figures in target/criterion.

need gcc=gcc
need_sid flang-23=flang-23 gfortran-16=gfortran-16 gcc-16=gcc-16 ld=binutils /usr/include/stdio.h=libc6-dev
library=$(build_capi)
strict=$(build_capi STATICTRAMP_REUSE=strict)
bare=$(build_capi STATICTRAMP_LANDING_PADS=0)
out=target/bench
place=/statictramp-bench
rm -rf $out "$chroot$place"
mkdir -p $out "$chroot$place"
table=$out/table.md
calls=$(share 20000000)

# ratio A B: how many times B goes into A.
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

say "the C functions"
gcc -O2 -Icapi/include benches/functions.c "$library/libstatictramp.a" -o $out/executable
gcc -O2 -Icapi/include benches/functions.c "$strict/libstatictramp.a" -o $out/strict
gcc -O2 -Icapi/include benches/functions.c "$bare/libstatictramp.a" -o $out/no-landing-pads
cp "$library/libstatictramp.so" $out/libstatictramp.so.0
ln -sf libstatictramp.so.0 $out/libstatictramp.so
gcc -O2 -Icapi/include benches/functions.c -L$out -lstatictramp -Wl,-rpath,'$ORIGIN' -o $out/shared
for program in executable shared strict no-landing-pads; do
    $out/$program >$out/$program.tsv
done
{
    echo "| ns, least of 15 interleaved rounds | archive | shared library | strict reuse | no landing pads |"
    echo "|---|---|---|---|---|"
    paste $out/{executable,shared,strict,no-landing-pads}.tsv |
        awk -F'\t' '{ printf "| %s | %s | %s | %s | %s |\n", $1, $2, $4, $6, $8 }'
} >$table

say "end to end: a host that makes, calls once and frees, through the compilers' own interfaces"
cp benches/{host.c,host.f90,apply.f90} "$library/libstatictramp.a" "$chroot$place"
in_sid $place flang-23 -O2 -c apply.f90
in_sid $place flang-23 -O2 host.f90 apply.o -o flang-stack 2>/dev/null
in_sid $place flang-23 -O2 -fsafe-trampoline -c host.f90
in_sid $place flang-23 host.o apply.o -o flang-pool
in_sid $place flang-23 host.o apply.o libstatictramp.a -o flang-statictramp
in_sid $place gcc-16 -O2 -z execstack host.c -o gcc-stack
in_sid $place gcc-16 -O2 -ftrampoline-impl=heap host.c -o gcc-heap
in_sid $place gcc-16 -O2 -ftrampoline-impl=heap host.c libstatictramp.a -o gcc-statictramp
declare -A ns
for round in 1 2 3; do # in turn, the least of all
    for program in flang-stack flang-pool flang-statictramp gcc-stack gcc-heap gcc-statictramp; do
        got=$(in_sid $place ./$program "$calls")
        ns[$program]=$(awk -v a="${ns[$program]:-1e9}" -v b="$got" 'BEGIN { print a < b ? a : b }')
    done
done
{
    echo
    echo "| end to end, ns for each | on the stack | the compiler's own pool | statictramp | faster than the stack | than the pool |"
    echo "|---|---|---|---|---|---|"
    echo "| flang 23 | ${ns[flang-stack]} | ${ns[flang-pool]} | ${ns[flang-statictramp]} | $(ratio "${ns[flang-stack]}" "${ns[flang-statictramp]}") | $(ratio "${ns[flang-pool]}" "${ns[flang-statictramp]}") |"
    echo "| gcc 16 | ${ns[gcc-stack]} | ${ns[gcc-heap]} | ${ns[gcc-statictramp]} | $(ratio "${ns[gcc-stack]}" "${ns[gcc-statictramp]}") | $(ratio "${ns[gcc-heap]}" "${ns[gcc-statictramp]}") |"
} >>$table

say "the Rust interface"
quick=--quick
[ "$effort" -lt 100 ] || quick=
cargo bench --quiet --bench trampolines -- $quick 2>/dev/null | grep -E 'time:|/|not measured'

say "the table"
cat $table
