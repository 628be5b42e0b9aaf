# Programs by which a review broke the library, or might have broken it: each is either rejected by the compiler or runs
# correctly. One file in tests/legs/parts/review/ for each part.
# Installs: see its parts: gcc, clang 19, mold, python3.
# Takes: 4 minutes.

parts=(tests/legs/parts/review/*.sh)
[ -e "${parts[0]}" ] || fail "tests/legs/parts/review contains no scripts"
for part in "${parts[@]}"; do
    wants "$(basename "$part" .sh)" || continue
    say "review: $(basename "$part" .sh)"
    ( source "$part" )
done
