# gcc_suite.sh PLACE GUARD PART VERSION...: runs those programs of GCC's suite that need trampolines. They are compiled without
# this library (stock), and with -ftrampoline-impl=heap and the library. The results must be equal, and no program may request an
# executable stack. PLACE/trampolines.txt lists the programs. To check the list, one in PART of the other files is compiled.
# shellcheck disable=SC2046,SC2086 # $wanted, $compiler, $language, $options, $guard and what is printed: several words, or none
set -eu
place=$1 guard=$2 part=$3
shift 3

# The C standard that the suite's compiler uses by default. Later standards reject some of the files.
export DIALECT="-std=gnu17 -fpermissive"

# The files whose objects call a trampoline function when compiled in this mode by the newest compilers. Every runnable
# C file is tried, and every Fortran file with internal procedures.
wanted=$PWD/wanted.txt
cat >probe.sh <<'END'
source=$1 object=$(mktemp)
case $source in *.c) compiler="gcc-16 $DIALECT" ;; *) compiler=gfortran-16 ;; esac
if timeout 300 $compiler -w -O0 -ftrampoline-impl=heap -c "$source" -o $object 2>/dev/null &&
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
# A compiler that is newer than the list may need fewer trampolines.
if ! diff "$place/trampolines.txt" $wanted; then
    echo "these files are not the ones that trampolines.txt lists"
    [ "$part" != 1 ] && [ "$(wc -l <$wanted)" -ge 40 ] || exit 1
fi
echo "$(wc -l <$wanted) files of the suite need trampolines"

verdict() { # COMMAND...: the outcome of the command
    local code=0
    timeout 300 "$@" >run.log 2>&1 || code=$?
    echo $code
}

bad=0
for version in "$@"; do
    for level in -O0 -O2; do
        # A short run tests each version at only one optimization level.
        [ "$part" = 1 ] || case $version$level in 14-O2 | 15-O0 | 16-O2) ;; *) continue ;; esac
        same=0 differ=0 skipped=0
        declare -A of=([gcc.c-torture]=0 [gcc.dg]=0 [gfortran.dg]=0)
        while read -r source; do
            case $source in
            *.c) compiler=gcc-$version language=$DIALECT ;;
            *) compiler=gfortran-$version language="-cpp" ;;
            esac
            command -v $compiler >/dev/null || continue
            # The options that the file requests, except for optimization.
            options=$(sed -n 's/.*dg-\(additional-\)\?options *"\([^"]*\)".*/\2/p' "$source" | tr '\n' ' ' | sed 's/-O[0-9s]//g; s/-ftrampolines//g')
            if ! timeout 300 $compiler -w $level $language $options -z execstack "$source" -o stock -lm 2>/dev/null; then
                skipped=$((skipped + 1))
                continue
            fi
            stock=$(verdict ./stock)
            if ! timeout 300 $compiler -w $level $language $options -ftrampoline-impl=heap "$source" "$place/libstatictramp.a" -o ours -lm 2>build.log; then
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
