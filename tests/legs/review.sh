# Programs by which a review broke the library, and those that it might have broken: each is right because the compiler
# refuses it or because it runs as it should. One file in tests/legs/parts/review/ for each part.

parts=(tests/legs/parts/review/*.sh)
[ -e "${parts[0]}" ] || fail "there is nothing in tests/legs/parts/review"
for part in "${parts[@]}"; do
    say "review: $(basename "$part" .sh)"
    ( source "$part" )
done
