//! Replacement of trampolines on stacks that are passed as callbacks.

use crate::next::Next;
use crate::signals::masks::check_mask;
use crate::table::{Use, table_trampoline};
use crate::{module, recognise, report};

/// Returns the callback to use in place of `address`, which is passed to `function` by the code at `caller` (0 if unknown).
/// If a trampoline on a stack is at `address`, the result is a table trampoline, provided that one can be made. Otherwise,
/// the result is `address` itself.
pub fn callback(address: usize, use_: Use, function: &'static Next, caller: usize) -> usize {
    // Most callbacks are in a loaded file, where no trampoline on a stack can be.
    if address == 0 || module::of(address).is_some() {
        return address;
    }
    // This frame is below the trampoline if both are on the same stack.
    let stack = (&raw const address).addr();
    let Some(pair) = recognise::at(address, stack) else { return address };
    check_mask();
    let Some(stub) = table_trampoline(address, pair, use_) else { return address };
    report::wrapped(pair.callee, caller, function);
    stub
}
