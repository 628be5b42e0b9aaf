# gcc_suite.sh PLACE GUARD PART VERSION...: runs, in the directory of GCC's suite, the programs that need trampolines: compiled
# as they are (stock), and with -ftrampoline-impl=heap and the library. Verdicts must be equal, and no program may ask
# for an executable stack. PLACE/trampolines.txt names the programs; of the others, one in PART is looked at, too.
# shellcheck disable=SC2046,SC2086 # $wanted, $compiler, $language, $options, $guard and what is printed: several words, or none
set -eu
place=$1 guard=$2 part=$3
shift 3

# The C of the compiler that the suite belongs to: later ones refuse some of it.
export DIALECT="-std=gnu17 -fpermissive"

# Those whose objects call for a trampoline when they are compiled so, by the newest compilers. Every C file that could be run
# is tried; of the Fortran files those that have internal procedures.
wanted=$PWD/wanted.txt
cat >probe.sh <<'END'
source=$1 object=$(mktemp)
case $source in *.c) compiler="gcc-16 $DIALECT" ;; *) compiler=gfortran-16 ;; esac
if timeout 20 $compiler -w -O0 -ftrampoline-impl=heap -c "$source" -o $object 2>/dev/null &&
    nm $object | grep -q __gcc_nested_func_ptr_created; then
    echo "$source"
fi
rm -f $object
END
{
    find gcc.c-torture/execute -name '*.c'
    grep -lE 'dg-do +run' -r gcc.dg --include='*.c'
    grep -liE '^ *contains' $(grep -lE 'dg-do +run' -r gfortran.dg --include='*.[fF]90')
} | sort | awk -v part="$part" 'NR == FNR { named[$0] = 1; next } $0 in named || FNR % part == 0' "$place/trampolines.txt" - |
    xargs -P 2 -n 1 bash probe.sh | sort >$wanted
# A compiler that is newer than the list may do without a few.
if ! diff "$place/trampolines.txt" $wanted; then
    echo "these are not the files that trampolines.txt names"
    [ "$part" != 1 ] && [ "$(wc -l <$wanted)" -ge 40 ] || exit 1
fi
echo "$(wc -l <$wanted) files of the suite need trampolines"

verdict() { # COMMAND...: what came of it
    local code=0
    timeout 60 "$@" >run.log 2>&1 || code=$?
    echo $code
}

bad=0
for version in "$@"; do
    for level in -O0 -O2; do
        same=0 differ=0 skipped=0
        declare -A of=([gcc.c-torture]=0 [gcc.dg]=0 [gfortran.dg]=0)
        while read -r source; do
            case $source in
            *.c) compiler=gcc-$version language=$DIALECT ;;
            *) compiler=gfortran-$version language="-cpp" ;;
            esac
            command -v $compiler >/dev/null || continue
            # Options that the file asks for, those of optimisation aside.
            options=$(sed -n 's/.*dg-\(additional-\)\?options *"\([^"]*\)".*/\2/p' "$source" | tr '\n' ' ' | sed 's/-O[0-9s]//g; s/-ftrampolines//g')
            if ! timeout 60 $compiler -w $level $language $options -z execstack "$source" -o stock -lm 2>/dev/null; then
                skipped=$((skipped + 1))
                continue
            fi
            stock=$(verdict ./stock)
            if ! timeout 60 $compiler -w $level $language $options -ftrampoline-impl=heap "$source" "$place/libstatictramp.a" -o ours -lm 2>build.log; then
                echo "does not build: $compiler $level $source"
                differ=$((differ + 1))
                continue
            fi
            ours=$(verdict $guard ./ours)
            stack=$(readelf -lW ours | awk '/GNU_STACK/ { print $7 }')
            if [ "$stock" = "$ours" ] && [ "$stack" = RW ]; then
                same=$((same + 1))
                of[${source%%/*}]=$((of[${source%%/*}] + 1))
            else
                echo "differs: $compiler $level $source: stock $stock, ours $ours, stack $stack"
                differ=$((differ + 1))
            fi
        done <$wanted
        echo "gcc $version $level: $same as stock (gcc.c-torture ${of[gcc.c-torture]}, gcc.dg ${of[gcc.dg]}," \
            "gfortran.dg ${of[gfortran.dg]}), $differ different, $skipped not for this compiler"
        bad=$((bad + differ))
    done
done
[ $bad = 0 ]
