//! says: is a "sealed trait"
//!
//! Only this crate defines the types that MLIR code can call.

use statictramp_interop::memref::Callee;

struct Own;

impl Callee<()> for Own {}

fn main() {}
