# Compares the capture rules with the attributes that flang 22 gives to dummy arguments when it optimizes. The
# differences must be those in capture_differences.txt. Sourced by flang/tests/legs/flang.sh.

capture_place=target/flang/capture
rm -rf "$capture_place"
mkdir -p "$capture_place"
cargo run --quiet -p statictramp-capture-rules --example capture | tail -n +2 >"$capture_place/rules"

# There is a dummy argument of each kind, in a module procedure, in one with BIND(C), and, if permitted, behind an implicit
# interface.
printf 'module m\ncontains\n' >"$capture_place/m.f90"
while read -r dummy explicit c implicit; do
    actual="real, target :: x"
    case $dummy in
    none) declaration="real :: x" ;;
    pointer) declaration="real, pointer :: x" actual=$declaration ;;
    procedure) declaration="external :: x" actual=$declaration ;;
    *) declaration="real, $dummy :: x" ;;
    esac
    printf '%s\n' "subroutine explicit_$dummy(x)" "$declaration" "end subroutine" >>"$capture_place/m.f90"
    printf '%s\n' "subroutine calls_$dummy(x)" "use m" "$actual" "interface" "subroutine c_$dummy(x) bind(c)" \
        "$declaration" "end subroutine" "end interface" "call explicit_$dummy(x)" "call c_$dummy(x)" \
        >>"$capture_place/calls.f90"
    printf '%s\n' "_QMmPexplicit_$dummy $explicit" "c_$dummy $c" >>"$capture_place/wanted"
    if [[ $dummy == none || $dummy == procedure ]]; then
        echo "call implicit_$dummy(x)" >>"$capture_place/calls.f90"
        echo "implicit_${dummy}_ $implicit" >>"$capture_place/wanted"
    fi
    echo "end subroutine" >>"$capture_place/calls.f90"
done <"$capture_place/rules"
echo "end module" >>"$capture_place/m.f90"

flang-22 -O2 -c "$capture_place/m.f90" -o "$capture_place/m.o" -module-dir "$capture_place"
# If the module of another file is available, there are only declarations, whose attributes come from the front end.
flang-22 -O2 -S -emit-llvm -I "$capture_place" "$capture_place/calls.f90" -o "$capture_place/calls.ll"
while read -r symbol rule; do
    declaration=$(grep -E "^declare .*@$symbol\(" "$capture_place/calls.ll") || fail "calls.ll does not declare $symbol"
    case $declaration in
    *"captures(none)"* | *"@$symbol(float"*) said=never ;;
    *) said=may ;;
    esac
    [ "$said" = "$rule" ] || echo "${symbol#_QMmP}: the language says $rule, flang 22 says $said"
done <"$capture_place/wanted" >"$capture_place/differences"
diff <(grep -v '^#' flang/tests/programs/capture_differences.txt) "$capture_place/differences" ||
    fail "flang 22's attributes differ from the documented deviations"
echo "$(wc -l <"$capture_place/wanted") dummies compared with flang 22: $(wc -l <"$capture_place/differences") differences, all known"
