# The checks that docs/stack-note.md shows, run verbatim on a file with a finding and on one without. Sourced by
# cli/tests/legs/parts/audit_packages.sh.

need git=git dpkg-deb=dpkg
examples=$out/examples
rm -rf "$examples"
mkdir -p "$examples/job/build" "$examples/repository" "$examples/upload" "$examples/bin"
ln -s "$tool" "$examples/bin/statictramp"
# example STATUS FILE...: runs the command, found in PATH as a user has it, in the current directory.
example() {
    local status=0
    said=$(PATH=$examples/bin:$PATH "${@:2}" 2>&1) || status=$?
    [ $status = "$1" ] || fail "docs/stack-note.md: exit status $status of ${*:2}, expected $1: $said"
}
doc_block docs/stack-note.md yaml 1 | sed -n '/run: |/,$s/^    //p' >"$examples/job.sh"
grep -q '^statictramp audit' "$examples/job.sh" || fail "the job in docs/stack-note.md does not run statictramp audit"
doc_block docs/stack-note.md sh 1 >"$examples/pre-commit"
doc_block docs/stack-note.md bash 1 >"$examples/check-stack"
chmod +x "$examples/pre-commit" "$examples/check-stack"
(
    cd "$examples/job"
    : >stack.exceptions
    cp "$out/hidden" build/program
    example 1 bash -e ../job.sh
    grep -q '"ruleId":"stack-not-asked"' stack.sarif || fail "the job in docs/stack-note.md does not report stack-not-asked"
    echo 'build/program stack-not-asked the callback is never used' >stack.exceptions
    example 0 bash -e ../job.sh
)
(
    cd "$examples/repository"
    git init --quiet .
    git config user.email test@example.org
    git config user.name test
    cp ../pre-commit .git/hooks/pre-commit
    cp "$out/asks.cleared" clean
    git add clean
    example 0 git commit --quiet -m "Add a program"
    cp "$out/asks" 'asks too'
    git add 'asks too'
    example 1 git commit --quiet -m "Add another"
    grep -q 'stack-asked-only' <<<"$said" || fail "the hook in docs/stack-note.md does not report stack-asked-only: $said"
)
(
    cd "$examples/upload"
    cp "$out/asks.cleared" plain.exe
    cp "$out/asks" asks.exe
    for name in asks plain; do
        mkdir -p "$name/DEBIAN" "$name/usr/bin"
        printf 'Package: %s\nVersion: 1\nArchitecture: amd64\nMaintainer: A <a@example.org>\nDescription: a test\n' $name >$name/DEBIAN/control
        cp $name.exe $name/usr/bin/$name
        dpkg-deb --build $name "${name}_1_amd64.deb" >/dev/null
        printf 'Format: 1.8\nFiles:\n %s 1 misc optional %s_1_amd64.deb\n %s 1 misc optional x.buildinfo\n' 0 $name 0 >$name.changes
    done
    example 1 ../check-stack asks.changes
    grep -q 'asks_1_amd64.deb:usr/bin/asks: asks for' <<<"$said" || fail "the check in docs/stack-note.md does not report asks_1_amd64.deb: $said"
    example 0 ../check-stack plain.changes
)
echo "a job, a hook, and a check of an upload"
