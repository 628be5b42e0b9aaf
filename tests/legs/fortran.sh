# Tests Fortran programs that use flang's own safe trampolines, which this library provides instead of flang's pool. The programs
# are linked with the archive and with the shared library, and their output is compared with gfortran's.
# Installs: gcc; flang 23, GCC 16 and gfortran 16 in .toolchains.
# Takes: 1 minute.
# shellcheck disable=SC2046,SC2086 # $guard, what is printed: several words, or none

need gcc=gcc readelf=binutils
need_sid flang-23=flang-23 gfortran-16=gfortran-16 gcc-16=gcc-16 ld=binutils \
    /usr/lib/llvm-23/lib/libomp.so=libomp-23-dev /usr/include/stdio.h=libc6-dev
library=$(build_capi)
deep=$(build_capi STATICTRAMP_SLOTS=131072)

sid_directory fortran
mkdir "$chroot$place/deep"
cp tests/programs/fortran/*.* tests/common/*.c "$library/libstatictramp.a" "$chroot$place"
lay_shared_library "$library" "$chroot$place"
cp "$deep/libstatictramp.a" "$chroot$place/deep"
mount_proc

in_sid $place gcc-16 -Wall -Wextra -O2 -c watch.c
in_sid $place gcc-16 -Wall -Wextra -O2 mdwe.c -o mdwe
no_wx in_sid $place ./mdwe # if it is unavailable, /proc/self/maps is checked
[ -z "$guard" ] || echo "every program runs under PR_SET_MDWE"

passed=0
for source in tests/programs/fortran/*.f90; do
    name=$(basename "$source" .f90)
    in_sid $place gfortran-16 -fopenmp -w -z execstack "$name.f90" -o "$name.gfortran"
    in_sid $place env OMP_NUM_THREADS=4 "./$name.gfortran" 2>&1 | squeeze_blanks >"$chroot$place/$name.wanted"
    for level in -O0 -O2; do
        in_sid $place flang-23 $level -fopenmp -fsafe-trampoline -c "$name.f90" -o "$name.o"
        in_sid $place flang-23 -fopenmp "$name.o" watch.o libstatictramp.a -o "$name.a.out"
        in_sid $place flang-23 -fopenmp "$name.o" watch.o -L. -lstatictramp -o "$name.so.out"
        for program in "$name.a.out" "$name.so.out"; do
            [ "$(stack_rights "$chroot$place/$program")" = RW ] || fail "$program $level: the program does not request a non-executable stack"
            prints "$chroot$place/$name.wanted" in_sid $place env NO_STOP_MESSAGE=1 OMP_NUM_THREADS=4 LD_LIBRARY_PATH=.:/usr/lib/llvm-23/lib \
                $(leak_of "$source") $guard "./$program"
            passed=$((passed + 1))
        done
    done
done
echo "$passed runs of $(ls tests/programs/fortran/*.f90 | wc -l) programs: same output as gfortran, no trampoline left, no W+X mapping"

# The program below counts live trampolines itself, which shows that code compiled by flang calls this library, and not the
# functions with the same names in flang's run-time library.
say "recursion: 100,000 live hosts on 131,072 slots"
in_sid $place flang-23 -O2 -fsafe-trampoline deep_recursion.F90 watch.o deep/libstatictramp.a -o deep_recursion
in_sid $place bash -c "ulimit -s unlimited && $guard ./deep_recursion"

say "hosts that C code abandons by longjmp"
cp -r tests/programs/fortran/jumps "$chroot$place"
in_sid $place flang-23 -O2 -fsafe-trampoline -c jumps/hosts.f90 -o jumps.o
in_sid $place gcc-16 -O2 -Wall -Wextra -c jumps/main.c -o jumper.o
in_sid $place gcc-16 jumper.o jumps.o libstatictramp.a -o jumps.out
in_sid $place $guard ./jumps.out "$(share 1000000)"

say "recursion on a table that grows"
in_sid $place flang-23 -O2 -fsafe-trampoline deep_recursion.F90 watch.o libstatictramp.a -o too_deep
in_sid $place bash -c "ulimit -s unlimited && $guard ./too_deep"

say "a full table: one line with the remedy, and abort"
complaint=$(in_sid $place bash -c "ulimit -s unlimited; ulimit -c 0; STATICTRAMP_LIMIT=1024 ./too_deep" 2>&1) && fail "the program did not abort although the table is full"
echo "$complaint"
case $complaint in
*"all 1024 trampolines are in use, and the table cannot grow"*) ;;
*) fail "the program aborted without the message that the table is full" ;;
esac
