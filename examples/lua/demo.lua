-- Turns Lua functions into C function pointers, with types given here.
local callbacks = require "callbacks"

-- qsort's comparator, a closure.
local compared = 0
local numbers = {5, 3, 9.5, -1, 4}
do
    local order <close> = callbacks.new("i(pp)", function(a, b)
        compared = compared + 1
        a, b = callbacks.number(a), callbacks.number(b)
        return a < b and -1 or a > b and 1 or 0
    end)
    callbacks.sort(numbers, order)
end
assert(table.concat(numbers, " ") == "-1.0 3.0 4.0 5.0 9.5" and compared > 0)

-- Arguments of several classes.
local seen = 0
local square = callbacks.new("d(difs)", function(x, step, half, name)
    assert(half == 0.5 and name == "midpoint" and step == seen)
    seen = seen + 1
    return x * x
end)
assert(math.abs(callbacks.integrate(square, 0, 3, 1000) - 9) < 1e-5 and seen == 1000)

-- An error passes through C and is raised after the C function has returned.
local fails = callbacks.new("i(pp)", function() error("not today", 0) end)
local good, message = pcall(callbacks.sort, {2, 1}, fails)
assert(not good and message == "not today")
good, message = pcall(callbacks.new, "q(p)", print)
assert(not good and message:find("no such result"))

-- The garbage collector frees thousands of callbacks.
for i = 1, 20000 do
    local f = callbacks.new("i(pp)", function() return i end)
end
fails:close()
good = pcall(callbacks.sort, {2, 1}, fails)
assert(not good)
print("Lua: sorted with " .. compared .. " comparisons, integrated in " .. seen .. " steps")
