//! Tests of what the public interface does not show, on pools with a table of their own.

mod bitmap;
mod compact;
mod line;
mod pool;
#[cfg(target_os = "linux")]
mod symbol;
mod table;
