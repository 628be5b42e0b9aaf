//! Replaces a processor's folder in loom's models, which run no stubs: the constants that code outside the folder uses.

/// Bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 16;

/// The address of a stub is called as it is.
pub(crate) const CODE_BIT: usize = 0;
