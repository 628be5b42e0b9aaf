# Tests two threads that a timer switches, and that share a small table with the timer's handler. Sourced by tests/legs/bare.sh.

say "threads that are interrupted at any instruction"
for where in thumbv7m-none-eabi:mps2-an385 thumbv6m-none-eabi:microbit; do
    slots=8 BOARD=${where#*:} LINKER=ld.lld-19 images "${where%:*}" tests/programs/bare threads
    # Time is counted in instructions, so that the timer does not interrupt faster than the processor can handle.
    limit=600 run "${where#*:}" "$image" qemu-system-arm -icount shift=5
    must_say "the non-maskable interrupt frees" "two threads and the timer made"
    echo "${where%:*}: $said"
done
