//! In place of a processor's folder in loom's models, which run no stubs: distances between stubs that are not there.

/// Bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 16;

/// The address of a stub is called as it is.
pub(crate) const CODE_BIT: usize = 0;
