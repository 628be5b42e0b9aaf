# Tests changes of the library's file, or of the mapping of its code, while the program runs. Growth must map the running code or
# fail. Sourced by tests/legs/parts/review/core.sh.
# shellcheck disable=SC2086 # $flags: several words, or none

need gdb=gdb mount=mount unshare=util-linux
say "the file of the library, or the mapping of its code, changes"
gcc $flags tests/programs/review/core/changed.c "$library/libstatictramp.so" -Wl,-rpath,'$ORIGIN' -o $out/changed
other=$(gcc -print-file-name=libc.so.6)
differ="this code and the file that it came from differ"

# change HOW ANSWER DIRECTORY: checks that the answer of the program, which is in the library's directory, begins with ANSWER.
change() {
    local said
    said=$(timeout 20 "$3/changed" "$1" "$3/libstatictramp.so.0" "$other" 2>&1) || fail "$1: exit status $?, expected 0: $said"
    [[ $said = "$2"* ]] || fail "$1: got $said, expected $2"
    echo "$1: $said"
}

# The program writes to its own code, like a debugger or any other writer to private pages of the process.
while IFS=: read -r how answer; do
    place=$PWD/$out/changed-$how
    mkdir -p "$place"
    cp $out/changed "$place"
    lay_shared_library "$library" "$place"
    change "$how" "$answer" "$place"
done <<END
as-it-was:grown
own-pages:grown
own-pages-stub:$differ
patched:$differ
breakpoint:grown
breakpoint-operand:$differ
padding:$differ
locked:grown
rights:the permissions of some pages of this code were changed
anonymous:this code is not mapped from a file
personality:readable memory is executable in this process (personality READ_IMPLIES_EXEC)
address-space:no memory is left, or the process cannot have more mappings
END

said=$(gdb -nx -batch -ex 'break change' -ex run -ex 'break *(void*)last_stub if 0' -ex continue \
    --args "$PWD/$out/changed-as-it-was/changed" as-it-was none none 2>&1)
grep -q '^Breakpoint 2 at' <<<"$said" && grep -q '^grown$' <<<"$said" || fail "with gdb's breakpoint in a stub, the table did not grow: $said"
echo "with gdb's breakpoint in a stub: grown"

# on_overlay HOW...: runs in a mount namespace, which removes the mounts with it. Writing to the file copies it, and the running
# mapping keeps the old file.
on_overlay() {
    local how answer place=$PWD/$out/overlay
    mkdir "$place"
    mount -t tmpfs none "$place"
    for how; do
        mkdir -p "$place/$how"/{lower,upper,work,merged}
        cp $out/changed "$place/$how/lower"
        lay_shared_library "$library" "$place/$how/lower"
        mount -t overlay overlay -o "lowerdir=$place/$how/lower,upperdir=$place/$how/upper,workdir=$place/$how/work" "$place/$how/merged"
        answer=$differ
        [ "$how" != as-it-was ] || answer=grown
        change "$how" "$answer" "$place/$how/merged"
    done
}
if [ "$(id -u)" = 0 ]; then
    say "the same on overlayfs"
    export -f on_overlay change lay_shared_library fail
    export out library other differ
    unshare --mount bash -euc 'on_overlay "$@"' bash as-it-was overwritten truncated cut stub neighbour
else
    echo "overlayfs: not tried without root"
fi
