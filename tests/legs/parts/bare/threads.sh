# Two threads that a timer changes for each other, and its handler, share a small table. Sourced by tests/legs/bare.sh.

say "threads that are interrupted at any instruction"
for where in thumbv7m-none-eabi:mps2-an385 thumbv6m-none-eabi:microbit; do
    slots=8 BOARD=${where#*:} LINKER=ld.lld-19 images "${where%:*}" tests/programs/bare threads
    # Time goes by instructions: the timer comes neither more seldom nor more often than the processor can follow.
    limit=600 run "${where#*:}" "$image" qemu-system-arm -icount shift=5
    must_say "the non-maskable interrupt frees" "two threads and the timer made"
    echo "${where%:*}: $said"
done
