//! Hardening properties of an ELF file that do not affect its verdict.

use schemars::JsonSchema;
use serde::Serialize;

/// Hardening of an ELF file, reported with --hardening. The stack, RELRO, control-flow protection and text relocations
/// are reported in separate fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "hardening", deny_unknown_fields)]
pub struct Hardening {
    /// Whether the file can be loaded at any address; null for objects.
    pub position_independent: Option<bool>,
    /// Whether all symbols are resolved at startup; null for objects, and for files without a dynamic section.
    pub bind_now: Option<bool>,
    /// Whether a function checks a stack canary; null if this cannot be determined from the symbols.
    pub canaries: Option<bool>,
    /// Called functions that _FORTIFY_SOURCE can replace; null if they cannot be determined from the symbols.
    pub fortify: Option<Fortify>,
}

/// Numbers of called C library functions for which `_FORTIFY_SOURCE` has a variant with a buffer length check.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct Fortify {
    /// Functions whose checking variant is called.
    pub checked: usize,
    /// Functions called without a check. A call remains unchecked if the compiler does not know the buffer's length, or
    /// has proven that the call is valid.
    pub unchecked: usize,
}
