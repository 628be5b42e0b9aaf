//! says: is a "sealed trait"
//!
//! What MLIR's code can call is this crate's matter.

use statictramp_interop::memref::Callee;

struct Own;

impl Callee<()> for Own {}

fn main() {}
