-- Sorts places by their keys: `compare` gets the keys as its context.
local ffi = require("ffi")
ffi.cdef [[
void *statictramp_bind_signature(void *callee, void *context, const char *signature);
ptrdiff_t statictramp_signature_error(const char *signature);
int statictramp_free(void *pointer);
void qsort(void *base, size_t count, size_t size, void *compare);
]]
local library = ffi.load(arg[1])
local compare = ffi.cast("int (*)(const int *, const uint8_t *, const uint8_t *)", function(keys, a, b)
    return keys[a[0]] - keys[b[0]]
end)

local function bind(signature, context)
    local pointer = library.statictramp_bind_signature(ffi.cast("void *", compare), ffi.cast("void *", context), signature)
    if pointer == nil then
        error("error at byte " .. tonumber(library.statictramp_signature_error(signature)) .. " of " .. signature, 0)
    end
    return pointer
end

for _, keys in ipairs { ffi.new("int[4]", 40, 3, 17, 9), ffi.new("int[4]", 1, 2, 3, 4) } do
    local order = ffi.new("uint8_t[4]", 0, 1, 2, 3)
    local callback = bind("i(pp)", keys)
    ffi.C.qsort(order, 4, 1, callback)
    library.statictramp_free(callback)
    print(order[0] .. " " .. order[1] .. " " .. order[2] .. " " .. order[3])
end
print(select(2, pcall(bind, "i(p?)", ffi.new("int[4]"))))
