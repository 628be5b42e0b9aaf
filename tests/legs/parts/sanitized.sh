# Links programs so that the first stub, or the padding before it, is at the start of a page, where -fsanitize=function would
# read a page that is not mapped. Sourced by the "life" and "cross" legs.

# sanitized NAME ARCHIVE EMULATOR COMMAND...: builds capi/tests/programs/c/sanitized.c with this command and the archive, and runs it
# with the stubs at two offsets in their page. EMULATOR may be empty.
sanitized() {
    local name=$out/sanitized-$1 archive=$2 emulator=$3 offset stubs pad try
    shift 3
    for offset in 0 64; do
        pad=64
        for try in 1 2 3 4; do # a linker may move other code, too, when the padding changes
            "$@" -Icapi/include "-DPAD=$pad" capi/tests/programs/c/sanitized.c "$archive" -pthread -o "$name" || fail "$name does not link"
            stubs=$((0x$(readelf -sW "$name" | awk '$8 ~ /^statictramp_.*_stubs$/ { print $2 }' | head -n 1) % 4096))
            [ $stubs != $offset ] || break
            [ $try != 4 ] || fail "$name: the stubs are not at offset $offset of a page"
            pad=$((pad + (4096 + offset - stubs) % 4096))
        done
        # shellcheck disable=SC2086 # several words, or none
        $emulator "$name" || fail "$name fails with the stubs at offset $offset of a page"
    done
}
