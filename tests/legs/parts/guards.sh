# Functions that find the legs that guard a path, according to tests/legs/guards.txt. Sourced by tests/run and the habits leg.

guards=() # the table: a pattern, a tab, and the legs
processors=() # the first part of each target's name in tests/legs/parts/machines.sh
read_guards() {
    local pattern legs
    mapfile -t processors < <(sed -n "s/^    'machine=.* triple=\([a-z0-9_]*\)-.*/\1/p" tests/legs/parts/machines.sh)
    while read -r pattern legs; do
        case $pattern in '' | '#'*) ;; *) guards+=("$pattern"$'\t'"$legs") ;; esac
    done <tests/legs/guards.txt
}

# guards_of PATH: sets `found` to the legs that guard a path, and `by` to the number of the line in the table. Both are empty if no
# line matches.
guards_of() {
    local pattern processor
    found='' by=''
    for by in "${!guards[@]}"; do
        pattern=${guards[by]%%$'\t'*}
        # shellcheck disable=SC2053 # patterns
        [[ $1 != $pattern ]] || { found=${guards[by]#*$'\t'} && return; }
        case $pattern in *'{processor}'*) ;; *) continue ;; esac
        for processor in "${processors[@]}"; do
            # shellcheck disable=SC2053
            [[ $1 != ${pattern//'{processor}'/$processor} ]] || { found=${guards[by]#*$'\t'} found=${found//'{processor}'/$processor} && return; }
        done
    done
    by=''
}

# guards_of_all PATH...: sets `legs` to the legs that guard these paths. A directory stands for all tracked files in it. For Rust, the
# legs include the lints, which also check the format.
guards_of_all() {
    local path file leg parts
    local -A chosen=()
    for path; do
        path=${path#./} path=${path%/}
        while IFS= read -r file; do
            guards_of "$file"
            [ -n "$found" ] || fail "tests/legs/guards.txt has no line for $file"
            for leg in $found; do
                parts=${leg#*:}
                [ "$parts" != "$leg" ] || parts='*' # the whole leg
                chosen[${leg%%:*}]+=,$parts
            done
            case $file in *.rs) chosen[native]+=,lints ;; esac
        done < <(if [ -d "$path" ]; then git ls-files -- "${path:-.}"; else echo "$path"; fi)
    done
    legs=()
    for leg in "${!chosen[@]}"; do
        parts=$(tr , '\n' <<<"${chosen[$leg]#,}" | sort -u | paste -sd ,)
        case ,$parts, in *',*,'*) legs+=("$leg") ;; *) legs+=("$leg:$parts") ;; esac
    done
    # The quickest legs come first.
    mapfile -t legs < <(for leg in "${legs[@]}"; do echo "$(seconds_of "$leg") $leg"; done | sort -n | cut -d ' ' -f 2)
}

# leg_file LEG: prints the path of the script of this leg, or nothing if there is no such leg.
leg_file() {
    local file
    for file in {,*/}tests/legs/"$1".sh; do
        [ ! -e "$file" ] || echo "$file"
    done
}

# minutes_of LEG: prints how long a short run of the whole leg usually takes, in minutes, according to its first comment.
minutes_of() { sed -n 's/^# Takes: \([0-9]*\) minutes\?\.$/\1/p' "$(leg_file "$1")" | head -n 1; }

# seconds_of LEG[:PART,...]: prints an estimate of how long a short run of these parts takes, if all parts of the leg take the same
# time. Parts of the cross leg are targets.
seconds_of() {
    local leg=${1%%:*} seconds asked all
    seconds=$((60 * $(minutes_of "$leg")))
    case $1 in *:*) ;; *) echo "$seconds" && return ;; esac
    IFS=, read -ra asked <<<"${1#*:}"
    all=$(grep -ohE '\bwants( [a-z0-9_]+)+' "$(leg_file "$leg")" | tr ' ' '\n' | grep -vx wants | sort -u | wc -l || :)
    [ "$all" -gt 0 ] || all=${#processors[@]}
    echo $((seconds * ${#asked[@]} / all))
}

# changed_since [REVISION]: prints the files that differ from the revision, by default from the point where this branch left main.
changed_since() {
    local from=${1-}
    [ -n "$from" ] || from=$(git merge-base HEAD main 2>/dev/null) || from=HEAD
    git diff --name-only "$from" -- || fail "git does not know the revision \"$from\""
    git ls-files --others --exclude-standard
}

# has_parts LEG PARTS: fails unless the leg has all of these parts. Parts of the cross and bare legs may be targets.
has_parts() {
    local part file
    for part in ${2//,/ }; do
        case $1 in
        cross) ;;
        bare) case $part in sizes | arm* | aarch64* | thumb* | riscv*) ;; *) grep -q "^parts=.*[( ]${part}[ )]" tests/legs/bare.sh || fail "the leg bare has no part \"$part\"" ;; esac ;;
        *) grep -qw "wants $part" "$(leg_file "$1")" || fail "the leg $1 has no part \"$part\"" ;;
        esac
    done
}
