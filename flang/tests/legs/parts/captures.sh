# Tests the list that `statictramp captures` generates from Fortran sources, and programs that are compiled with the list. Sourced
# by flang/tests/legs/flang.sh, after generate.sh, whose generator and first seed it uses.
# shellcheck disable=SC2046,SC2086 # several words, or none

say "statictramp captures: the list from the source, and programs compiled with it"
cargo build --quiet -p statictramp-cli
# The directory is below the one that flang 23 shares, because its sources must be there.
captures=$work/captures
rm -rf "$captures"
mkdir -p "$captures"
cp target/debug/statictramp flang/tests/programs/captures/*.f90 "$captures"
# captures VERSION [--OPTION]... ARGUMENT...: runs the tool in $captures/$here, and inserts flang VERSION before the
# first argument that is not one of the tool's own options.
captures() {
    local version=$1 options=() compiler
    shift
    while [[ ${1:-} == --compile || ${1:-} == --calls || ${1:-} == --keeps=* ]]; do options+=("$1") && shift; done
    case $version in
    19) compiler=flang-new-19 ;;
    *) compiler=flang-$version ;;
    esac
    compiler=${odd_compiler:-$compiler}
    case $version in
    23) in_sid "/statictramp-flang/captures/${here:-}" env STATICTRAMP_KEEPS_NOT="${own_list:-}" "$(of 23 "$captures/statictramp")" \
        captures "${options[@]}" $compiler "$@" ;;
    *) (cd "$captures/${here:-}" && STATICTRAMP_KEEPS_NOT=${own_list:-} "$captures/statictramp" captures "${options[@]}" $compiler "$@") ;;
    esac
}
# with_plugin VERSION: prints the compiler's flag.
with_plugin() { echo "-fpass-plugin=$(plugin "$1")"; }
# libraries VERSION
libraries() { [ "$1" != 19 ] || echo -L/usr/lib/llvm-19/lib; }

sed -n 's/^! promised: //p' "$captures/kept_calls.f90" >"$captures/promised"
gfortran -w -J "$captures" "$captures/kept_library.f90" "$captures/kept_calls.f90" -o "$captures/gfortran"
"$captures/gfortran" >"$captures/wanted"
rm "$captures"/*.mod
[ "$(doc_block docs/capture.md fortran 1)" = "$(tail -n +2 "$captures/expected.f90")" ] || fail "the program in docs/capture.md differs from the tested one"
for version in 19 22 23; do
    here=d$version
    mkdir "$captures/$here"
    cp "$captures"/*.f90 "$captures/$here"
    captures $version -c kept_library.f90 >"$captures/list"
    [ ! -s "$captures/list" ] || fail "flang $version: the list contains procedures of the file itself: $(cat "$captures/list")"
    captures $version -c kept_calls.f90 2>/dev/null >"$captures/list"
    diff "$captures/promised" "$captures/list" || fail "flang $version: captures printed a wrong list"
    [ "$(captures $version --keeps=report --keeps=Keep_Nothing -c kept_calls.f90 2>/dev/null)" = "$(grep -v 'report\|keep_nothing' "$captures/promised")" ] ||
        fail "flang $version: captures prints a wrong list with --keeps"

    for source in keepers selectors; do
        diff <(sed -n 's/^! promised: //p' "$captures/$source.f90") <(captures $version -c $source.f90 2>/dev/null) || fail "flang $version: captures printed a wrong list for $source.f90"
    done
    captures $version --compile -O3 -w $(with_plugin $version) selector_lost.f90 selector_calls.f90 "$(of $version "$work/libstatictramp.a")" $(libraries $version) -o selector
    [ "$(run $version "$(of $version "$captures/$here/selector")")" = 2.0 ] || fail "flang $version: a promise for a part of a TARGET loses a write through a pointer"

    # These are submodules of a module in another file.
    (cd "$captures/$here" && flang $version -module-dir "$(of $version "$captures/$here")" -c "$(of $version "$captures/$here/submodules_library.f90")" -o "$(of $version "$captures/$here/submodules_library.o")")
    [ "$(captures $version -w -c submodules.f90 | xargs)" = "change _QMsubmodules_libraryPby_result _QMsubmodules_libraryPof_module" ] ||
        fail "flang $version: captures printed a wrong list for submodules: $(captures $version -w -c submodules.f90)"

    flags="-O2 -ffast-math $(with_plugin $version) -S -emit-llvm"
    (cd "$captures/$here" && flang $version $flags -module-dir . "$(of $version "$captures/$here/reduction.f90")" -o "$(of $version "$captures/$here/without.ll")")
    captures $version --compile $flags reduction.f90 -o with.ll
    ! grep -q '<[0-9]* x float>' "$captures/$here/without.ll" || fail "flang $version: loops are vectorized without a promise, so this test proves nothing"
    # LLVM 23 expects flags of the comparison that are lost when the variable becomes a register.
    [ $version = 23 ] || grep -q '<[0-9]* x float>' "$captures/$here/with.ll" || fail "flang $version: loops are not vectorized"
    flang $version $flags "$(of $version "$captures/$here/expected.f90")" -o "$(of $version "$captures/$here/without.ll")"
    captures $version --compile $flags expected.f90 -o with.ll
    grep -q 'call void @bug_' "$captures/$here/without.ll" || fail "flang $version: the program without promises does not call bug(), so this test proves nothing"
    ! grep -q 'call void @bug_' "$captures/$here/with.ll" || fail "flang $version: the program with promises calls bug()"
    grep -q 'call void @as_expected_' "$captures/$here/with.ll" || fail "flang $version: the program with promises does not call as_expected()"

    for level in -O3 -Ofast; do
        captures $version --compile $level -w $(with_plugin $version) kept_library.f90 kept_calls.f90 "$(of $version "$work/libstatictramp.a")" $(libraries $version) -o kept 2>/dev/null
        run $version "$(of $version "$captures/$here/kept")" >"$captures/said"
        diff "$captures/wanted" "$captures/said" || fail "flang $version $level: the list changes the output"
    done
    # An incorrect list shows that the optimizer uses the list.
    printf '_QMkeeperPkeep_target\n_QMkeeperPbump\noutside_keeps\ntwo_faces\n' >"$captures/$here/wrong"
    own_list=wrong captures $version --compile -O3 -w $(with_plugin $version) kept_library.f90 -c 2>/dev/null
    own_list=wrong captures $version --compile -O3 -w $(with_plugin $version) kept_library.o kept_calls.f90 "$(of $version "$work/libstatictramp.a")" $(libraries $version) -o kept 2>/dev/null
    run $version "$(of $version "$captures/$here/kept")" >"$captures/said"
    ! diff "$captures/wanted" "$captures/said" >/dev/null || fail "flang $version: wrong promises change nothing, so this test proves nothing"
    echo "flang $version: $(wc -l <"$captures/promised") procedures in the list; with it, programs print the same at -O3 and -Ofast"
done

here=$captures/docs
mkdir "$here"
doc_block docs/capture.md fortran 1 >"$here/test.f90"
doc_block docs/capture.md sh 1 | sed "s#/usr/local/lib/libstatictramp_flang-19.so#$(plugin 19)#" >"$here/typed"
said=$(cd "$here" && PATH=$captures:$PATH bash -eo pipefail typed)
[ "$said" = foo ] && [ -e "$here/test.o" ] || fail "docs/capture.md: $said"

say "statictramp captures: unknown input, and other uses of a compiler"
mkdir "$captures/temporary"
old_temporary=${TMPDIR-/tmp}
export TMPDIR=$captures/temporary
# Compilers whose dump differs in one detail: a sed script is applied to the dump.
cat >"$captures/odd" <<'END'
#!/bin/sh
case "$*" in
*-###*) flang-new-19 "$@" 2>&1 | sed "s|\"/[^\"]*\" \"-fc1\"|\"$0\" \"-fc1\"|" >&2 ;;
*-fdebug-dump-all*) flang-new-19 "$@" | sed "$ODD" ;;
*) exec flang-new-19 "$@" ;;
esac
END
chmod +x "$captures/odd"
here=d19 odd_compiler=$captures/odd
export ODD=
diff <(captures 19 -c kept_calls.f90 2>/dev/null) "$captures/promised" || fail "captures prints a different list if a script calls the compiler, so the next tests prove nothing"
for ODD in '/Subprogram scope: outside_plain/i\    Something else' 's/^| ActualArgSpec/--/;s/Call$/Call:/' '/symbols dump/d' '1d' '/| | Call$/d' \
    's/ProcedureDesignator -> Name/ProcedureDesignator -> Other/;/symbols dump/,$s/:/;/'; do
    said=$(captures 19 -c kept_calls.f90 2>&1 >"$captures/list")
    [ ! -s "$captures/list" ] || fail "captures makes a promise from the dump changed by $ODD: $(cat "$captures/list")"
    grep -q '^statictramp: captures: warning: no promise is made' <<<"$said" || fail "$ODD: $said"
done
# The last lines of this dump are missing.
lines=$(cd "$captures/d19" && flang-new-19 -fc1 -w -fdebug-dump-all kept_calls.f90 | wc -l)
for cut in 1 3 6 12 24 40; do
    ODD="$((lines - cut + 1)),\$d"
    said=$(captures 19 -c kept_calls.f90 2>&1 >"$captures/list")
    [ ! -s "$captures/list" ] || fail "captures makes a promise from a dump without its last $cut lines: $(cat "$captures/list")"
    grep -q '^statictramp: captures: warning: no promise is made: .* are missing' <<<"$said" || fail "captures does not warn that lines are missing in a dump without its last $cut lines: $said"
done
# If a procedure has an unknown attribute, no promise is made for it, and the promises for the others are unchanged.
ODD='/isInterface.*text)/s/outside_plain, EXTERNAL/outside_plain, NEW, EXTERNAL/'
[ "$(captures 19 -c kept_calls.f90 2>/dev/null)" = "$(grep -v outside_plain "$captures/promised")" ] || fail "captures printed a wrong list for a procedure with an unknown attribute"
ODD='/scope: keep_nothing/,/scope/s/ y, INTENT/ y, NEW, INTENT/'
[ "$(captures 19 -c kept_calls.f90 2>/dev/null)" = "$(grep -v keep_nothing "$captures/promised")" ] || fail "captures printed a wrong list for an argument with an unknown attribute"
ODD='1d'
said=$(captures 19 --compile -c expected.f90 -o odd.o 2>&1) || fail "captures --compile failed on a dump that cannot be parsed: $said"
[ -e "$captures/d19/odd.o" ] && grep -q 'warning: no promise is made' <<<"$said" || fail "$said"
unset ODD odd_compiler

# The remaining calls test all other ways in which a build system runs a compiler.
place=$captures/d19
mkdir "$place/with blanks"
printf '#ifdef WANTED\nsubroutine other(x)\n  real x\n  x = x + 1\nend\n#endif\n' >"$place/with blanks/o t.F90"
printf '  real x\n  x = 1\n  call other(x)\n  print *, int(x)\nend\n' >"$place/main.F90"
printf -- '-DWANTED "with blanks/o t.F90" -c -o "o t.o"' >"$place/response"
here=d19
captures 19 --compile @response && captures 19 --compile -c main.F90 -o main.o && captures 19 --compile main.o "o t.o" -L/usr/lib/llvm-19/lib -o linked
[ "$("$place/linked" | tr -d ' ')" = 2 ] || fail "the two-file program prints a wrong result"
captures 19 --compile -DWANTED main.F90 "with blanks/o t.F90" -L/usr/lib/llvm-19/lib -o both && [ "$("$place/both" | tr -d ' ')" = 2 ] || fail "the program compiled in one call cannot be built, or prints a wrong result"
[ "$(captures 19 -DWANTED main.F90 "with blanks/o t.F90")" = other ] || fail "captures prints a wrong list for two files"
captures 19 --compile -E -DWANTED "with blanks/o t.F90" | grep -q 'x = x + 1' || fail "captures --compile -E does not print the preprocessed source"
captures 19 --compile --version | grep -q 'version 19' || fail "captures --compile --version does not print the compiler's version"
# ends STATUS ARGUMENT...
ends() {
    local status=0
    said=$(captures 19 "${@:2}" 2>&1) || status=$?
    [ $status = "$1" ] || fail "captures ${*:2}: exit status $status, expected $1: $said"
}
ends 1 --compile -c missing.f90
ends 2 -c missing.f90
ends 2 main.o
printf 'end end\n' >"$place/wrong.f90"
ends 1 -c wrong.f90
grep -q 'wrong.f90:1' <<<"$said" || fail "$said"
ends 1 --compile -c wrong.f90
[ "$(grep -c 'Could not parse' <<<"$said")" = 1 ] || fail "the compiler's error message is not printed exactly once: $said"
own_list=missing ends 2 --compile -c main.F90
printf 'mine\nnot-a-name\n' >"$place/own"
own_list=own ends 2 --compile -c main.F90
grep -q 'STATICTRAMP_KEEPS_NOT: own:2: ' <<<"$said" || fail "an invalid line of the user's list is not reported: $said"
TMPDIR=$place/missing ends 0 --compile --version
TMPDIR=$place/missing ends 0 --compile main.o "o t.o" -L/usr/lib/llvm-19/lib -o linked
TMPDIR=$place/missing ends 1 --compile -c main.F90
grep -q 'a temporary list' <<<"$said" || fail "the missing directory for temporary files is not reported: $said"
[ -z "$(find "$TMPDIR" -maxdepth 1 -name 'statictramp-captures-*')" ] || fail "captures left temporary files behind"
TMPDIR=$old_temporary
echo "response files, names with blanks, several sources, links, preprocessing and errors pass through"

say "statictramp captures: options that change the meaning of names and of dummy arguments"
here=meaning place=$captures/meaning
mkdir "$place"
cp "$captures"/{underscores,tasks,submodules}*.f90 "$place"
# run_both OPTION... PROGRAM: compiles the library with flang alone, and the program with and without the list; both programs must
# print the same output.
run_both() {
    local program=${!#} options=("${@:1:$#-1}") how
    (cd "$place" && flang 19 -O2 -w "${options[@]}" -c "${program}_library.f90" -o library.o)
    for how in without with; do
        [ $how = with ] || (cd "$place" && flang 19 -O0 -w "${options[@]}" -c "$program.f90" -o program.o)
        [ $how = without ] || captures 19 --compile -O2 -w "${options[@]}" $(with_plugin 19) -c "$program.f90" -o program.o 2>"$place/messages"
        flang 19 -fopenmp "$place/library.o" "$place/program.o" -L"$work/omp" -L/usr/lib/llvm-19/lib -o "$place/program"
        OMP_NUM_THREADS=2 "$place/program" >"$place/$how"
    done
    cmp "$place/without" "$place/with" || fail "the list changes the output of $*: $(cat "$place/with")"
}
# nothing OPTION FILE: checks that no list is written, and that a warning names the option.
nothing() {
    said=$(captures 19 "$1" -w -c "$2" 2>&1 >"$place/list")
    [ ! -s "$place/list" ] || fail "captures makes a promise for $1: $(cat "$place/list")"
    grep -q -- "^statictramp: captures: warning: no promise is made: .*$1" <<<"$said" || fail "$1: $said"
}
run_both -fno-underscoring underscores
run_both underscores
run_both -fopenmp tasks
run_both submodules
[ "$(xargs <"$place/with")" = "2.0 13.0 21.0" ] || fail "the program with submodules of a module in another file prints a wrong result: $(cat "$place/with")"
nothing -fno-underscoring underscores.f90
[ -z "$(captures 19 -w -c underscores.f90)" ] || fail "the list contains a name that could also match a procedure that keeps more arguments"
nothing -fopenmp tasks.f90
nothing -fopenacc tasks.f90
[ "$(captures 19 -w -c tasks.f90)" = _QMtasks_libraryPspawn ] || fail "captures makes no promise for tasks.f90 without options, so this test proves nothing"
# The preprocessed file of an earlier build says nothing about this one.
printf 'subroutine t(x)\n  interface\n    subroutine keep(x)\n      integer KIND :: x\n    end subroutine\n  end interface\n  integer, target :: x\n  call keep(x)\nend\n' >"$place/saved.F90"
(cd "$place" && flang 19 -E -DKIND= saved.F90 -o saved.i)
[ "$(captures 19 -DKIND= -c saved.F90)" = keep ] || fail "captures makes no promise for saved.F90 with -DKIND=, so this test proves nothing"
nothing -save-temps saved.F90
# Some libraries that keep addresses also have modules.
printf 'module keeper_of_all\ncontains\n  subroutine mpi_irecv(x)\n    real x\n    x = 1\n  end\n  subroutine adios2_put(x)\n    real x\n    x = 1\n  end\n  subroutine other(x)\n    real x\n    x = 1\n  end\nend\n' >"$place/keeper_of_all.f90"
printf 'subroutine t(x)\n  use keeper_of_all, only: receive => mpi_irecv, adios2_put, other\n  real x\n  call receive(x)\n  call adios2_put(x)\n  call other(x)\nend\n' >"$place/receives.f90"
captures 19 -c keeper_of_all.f90
[ "$(captures 19 -c receives.f90)" = _QMkeeper_of_allPother ] || fail "the list contains a module procedure of a library that keeps addresses: $(captures 19 -c receives.f90)"
echo "-fno-underscoring, -save-temps, OpenMP, submodules and modules of MPI: all promises are correct"

say "statictramp captures: generated programs, each module in a separate file"
batches=$(share 12)
for ((i = 0; i < batches; i++)); do
    seed=$((first + i)) version=$((i % 3 == 0 ? 19 : i % 3 == 1 ? 22 : 23))
    here=g$seed
    mkdir "$captures/$here"
    (cd "$captures/$here" && "$generate" programs $seed 4 | awk '/^module |^program /{ file = $2 ".f90"; print file >"files" } file { print >file }')
    mapfile -t files <"$captures/$here/files"
    # OpenMP directives are comments here, because -fopenmp disables all promises.
    for level in -O3 -Ofast; do
        for how in without with; do
            rm -f "$captures/$here"/*.o
            failed=
            for file in "${files[@]}"; do
                if [ $how = with ]; then
                    captures $version --compile $level -w $(with_plugin $version) -c "$file" || failed=$file
                else
                    below=$(of $version "$captures/$here")
                    flang $version $level -w $(with_plugin $version) -module-dir "$below" -c "$below/$file" -o "$below/${file%.f90}.o" || failed=$file
                fi
            done 2>"$captures/messages"
            [ -z "$failed" ] || { cat "$captures/messages"; fail "seed $seed, flang $version $level $how the list: $failed does not compile"; }
            objects=()
            for file in "${files[@]}"; do objects+=("$(of $version "$captures/$here/${file%.f90}.o")"); done
            flang $version $level -fopenmp "${objects[@]}" "$(of $version "$work/watch.o")" "$(of $version "$work/libstatictramp.a")" -o "$(of $version "$captures/$here/program")" 2>"$captures/messages" ||
                { cat "$captures/messages"; fail "seed $seed, flang $version $level $how the list: the program does not link"; }
            run $version timeout 60 "$(of $version "$captures/$here/program")" >"$captures/$here/$how"
        done
        cmp "$captures/$here/with" "$captures/$here/without" || fail "seed $seed, flang $version $level: different output with the list"
    done
    [ "$(cd "$captures/$here" && captures $version case_1.f90 | grep -c _QMcommonP)" -gt 3 ] || fail "seed $seed: captures lists at most three module procedures, so this test proves nothing"
done
echo "$batches programs of several files: the same output with the list and without, at -O3 and -Ofast"
