# Tests a Lua module in a real interpreter. It turns Lua functions into callbacks by means of raw trampolines. Sourced by the leg
# "install".

say "Lua"
need lua5.4=lua5.4 /usr/include/lua5.4/lua.h=liblua5.4-dev
for compiler in gcc clang-19; do
    $compiler -O2 -Wall -Wextra -Werror -shared -fPIC -I/usr/include/lua5.4 "-I$out/usr/include" examples/lua/callbacks.c \
        "-L$out/usr/lib" -lstatictramp "-Wl,-rpath,$out/usr/lib" -o "$out/callbacks.so"
    said=$(LUA_CPATH="$out/?.so" lua5.4 examples/lua/demo.lua) || fail "the Lua program failed with the module built by $compiler"
    echo "$compiler: $said"
done
