//! The replacement for a processor's directory in loom's models, which run no stubs. It contains the constants that
//! code outside the directory uses.

/// The distance in bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 16;
