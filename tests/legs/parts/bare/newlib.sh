# A C program with newlib, linked by newlib's own script. Sourced by in_c.sh.

say "with newlib, small and not"
need /usr/lib/arm-none-eabi/lib/nano.specs=libnewlib-arm-none-eabi
for specs in --specs=rdimon.specs "--specs=nano.specs --specs=rdimon.specs"; do
    for script in "-T tramp_before_bss.x" "-T tramp_after_bss.x" ""; do
        # shellcheck disable=SC2054,SC2206 # several words
        line=($specs -mcpu=cortex-m0 -mthumb -O2 -Wall -Wextra -Werror -Icapi/include tests/programs/bare/c/newlib.c
            "$out/thumbv6m-none-eabi.a" -Llinker $script -Wl,--gc-sections,-u,vectors,--section-start=.vectors=0 -z noexecstack)
        if [ -z "$script" ]; then
            said=$(arm-none-eabi-gcc "${line[@]}" -o "$out/newlib" 2>&1) && fail "the link succeeded although newlib's own script does not place the slots"
            must_say statictramp_error_add_INCLUDE_tramp_x_to_memory_x
            continue
        fi
        arm-none-eabi-gcc "${line[@]}" -o "$out/newlib"
        limit=300 run mps2-an385 "$out/newlib" qemu-system-arm
        must_say "sorted by a context beside a heap: 2 0 1 3" "3 a line -7 x 9"
        echo "$specs: $said"
    done
done
