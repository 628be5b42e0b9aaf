// Sorts places by their keys: `compare` gets the keys as its context.
const c = struct {
    const Function = *const fn () callconv(.c) void;
    const Comparer = *const fn (*const anyopaque, *const anyopaque) callconv(.c) c_int;
    extern fn statictramp_bind_signature(callee: *const anyopaque, context: ?*const anyopaque, signature: [*:0]const u8) ?*const anyopaque;
    extern fn statictramp_signature_error(signature: [*:0]const u8) isize;
    extern fn statictramp_free(pointer: *const anyopaque) c_int;
    extern fn qsort(base: *anyopaque, count: usize, size: usize, compare: Comparer) void;
    extern fn printf(format: [*:0]const u8, ...) c_int;
};

fn compare(keys: *const [4]c_int, a: *const u8, b: *const u8) callconv(.c) c_int {
    return keys[a.*] - keys[b.*];
}

pub fn main() !void {
    for ([_][4]c_int{ .{ 40, 3, 17, 9 }, .{ 1, 2, 3, 4 } }) |keys| {
        var order = [_]u8{ 0, 1, 2, 3 };
        const callback = c.statictramp_bind_signature(&compare, &keys, "i(pp)") orelse return error.Full;
        c.qsort(&order, 4, 1, @ptrCast(callback));
        _ = c.statictramp_free(callback);
        _ = c.printf("%d %d %d %d\n", @as(c_int, order[0]), @as(c_int, order[1]), @as(c_int, order[2]), @as(c_int, order[3]));
    }
    if (c.statictramp_bind_signature(&compare, null, "i(p?)") == null)
        _ = c.printf("error at byte %td of i(p?)\n", c.statictramp_signature_error("i(p?)"));
}
