# generated.sh KIND SEED VERSION LEVEL: tests a batch of generated programs, or of routes of an address, with one flang. Run by
# flang/tests/legs/flang.sh, which exports its settings. Failing programs are saved in target/flang-generated.
set -euo pipefail
source tests/legs/lib.sh
source flang/tests/legs/parts/compilers.sh
kind=$1 seed=$2 version=$3 level=$4
name=$kind-$seed-$version
place=$work/generated/$name
mkdir -p "$place"
keep() {
    mkdir -p target/flang-generated
    cp "$place/$name.f90" target/flang-generated/
    fail "$* (generate $kind $seed, flang $version $level; the program is kept in target/flang-generated/$name.f90)"
}
# on_exit: exits with 255 after a failure, so that xargs stops.
on_exit() { [ $? = 0 ] || exit 255; }
trap on_exit EXIT
# For half of the programs, promises about the arguments of the run-time library are enabled.
if [ $((seed % 2)) = 0 ]; then tell=off; else tell=on; fi
compile() {
    STATICTRAMP_ESCAPES=${wanted:-off} STATICTRAMP_TELL_OPTIMIZER=$tell flang "$version" "$level" -w -fopenmp -module-dir "$(of "$version" "$place")" \
        "$(of "$version" "$place/$name.f90")" "$@" >"$place/said" 2>&1
}
plugin=-fpass-plugin=$(plugin "$version")

if [ "$kind" = routes ]; then
    "$generate" routes "$seed" 40 >"$place/$name.f90"
    wanted=warning
    compile "$plugin" -gline-tables-only -c -o "$(of "$version" "$place/x.o")" || { cat "$place/said"; keep "it does not compile"; }
    ! grep "'late_[0-9]*' does not escape\|'safe_[0-9]*' escapes" "$place/said" || keep "a wrong report"
    [ "$(grep -c "internal procedure '\(late\|safe\)_" "$place/said")" = 40 ] || keep "a procedure without a report"
    grep -o "'\(late\|safe\)_[0-9]*' [a-z]*" "$place/said" | sed 's/_[0-9]*//' | sort | uniq -c >"$place.counts"
    rm -r "$place"
    exit
fi

hosts=20
[ "$effort" -ge 100 ] || hosts=12
"$generate" programs "$seed" $hosts >"$place/$name.f90"
gfortran -O$((seed % 4)) -fopenmp -w -J "$place" "$place/$name.f90" -o "$place/gfortran" 2>"$place/said" || {
    grep -q 'internal compiler error' "$place/said" || { cat "$place/said"; keep "gfortran rejects it"; }
    echo "gfortran -O$((seed % 4)) fails for $name"
    exit
}
OMP_NUM_THREADS=4 timeout 60 "$place/gfortran" >"$place/wanted" || keep "gfortran's program ended with $?"
# No program may be rejected.
wanted=error
if ! compile "$plugin" "$(of "$version" "$work/watch.o")" "$(of "$version" "$work/libstatictramp.a")" -o "$(of "$version" "$place/program")"; then
    cp "$place/said" "$place/why"
    wanted=off
    compile -c -o "$(of "$version" "$place/x.o")" && { grep -a error "$place/why" | head -n 3; keep "it compiles only without the plugin"; }
    echo "flang $version $level fails for $name without the plugin"
    exit
fi
[ "$(stack_rights "$place/program")" = RW ] || keep "its stack is not RW"
ended=0
run "$version" timeout 60 "$(of "$version" "$place/program")" >"$place/got" 2>"$place/said" || ended=$?
if [ $ended != 0 ] || ! cmp -s "$place/wanted" "$place/got"; then
    # flang itself may have an error.
    wanted=off
    compile -o "$(of "$version" "$place/stock")" || :
    guard='' run "$version" timeout 60 "$(of "$version" "$place/stock")" >"$place/stock.got" 2>/dev/null || :
    cat "$place/said"
    diff "$place/wanted" "$place/got" | head -n 4 || :
    { [ $ended = 0 ] && cmp -s "$place/stock.got" "$place/got"; } || keep "its exit status is $ended, and its output differs from that of gfortran's program"
    echo "flang $version $level differs from gfortran for $name without the plugin, too"
fi
echo $hosts >"$place.counts"
rm -r "$place"
