# registers.awk docs/targets.md capi/install/registers.md: the parts of these files that the manual page statictramp_registers(3)
# contains, as troff: the registers of the static chain, from the table of processors, and the rules for counting registers.
function text(line) {
    gsub(/\[/, "", line)
    gsub(/\]\([^)]*\)/, "", line)
    line = bold(line)
    gsub(/'/, "\\(aq", line)
    return line
}
# `code` in bold type.
function bold(line,    before, rest) {
    while (match(line, /`[^`]*`/)) {
        before = substr(line, 1, RSTART - 1)
        rest = substr(line, RSTART + RLENGTH)
        line = before "\\fB" substr(line, RSTART + 1, RLENGTH - 2) "\\fP" rest
    }
    return line
}
BEGIN { print ".SS Static chain"; print "The register in which the callee of \\fBstatictramp_alloc\\fP(3) gets the chain, on Linux and boards:" }
/^##? / { section = $0 }
section == "## Linux" && /^\| / && !/^\| processor/ {
    split($0, column, / *\| */)
    print ".IP \\(bu 2"
    print text(column[2] ": " column[4])
}
FILENAME !~ /registers\.md$/ { next }
/^## / { inside = 1; print ".SS " substr($0, 4); next }
inside && NF { print text($0) }
