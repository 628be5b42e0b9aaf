//! Members of an RPM package: skips its headers, and reads the compressed cpio archive after them.
//!
//! The `rpm` crate is not used, because it reads all headers and needs a signature library.

use super::{Charged, Members, Package, Stream, cpio};
use crate::audit::input::Input;

/// Lengths in bytes of the lead and of a header's fixed part.
const LEAD: u64 = 96;
const HEADER: u64 = 16;

/// Examines the files in a package.
pub fn members(of: &Package<'_>, input: Input<'_>, to: &mut dyn Members) -> Result<(), String> {
    let mut at = LEAD;
    for round in 0..2 {
        let mut header = [0; HEADER as usize];
        input.fill(at, &mut header).map_err(|()| "an incomplete RPM package")?;
        let number = |at: usize| header.get(at..)?.first_chunk().map(|it| u64::from(u32::from_be_bytes(*it)));
        let (Some(index), Some(store)) = (number(8), number(12)) else { return Err(NO_HEADER.into()) };
        if !header.starts_with(&[0x8e, 0xad, 0xe8]) {
            return Err(NO_HEADER.into());
        }
        at += HEADER + index * 16 + store;
        // The signature is padded to a multiple of eight bytes.
        at = if round == 0 { at.next_multiple_of(8) } else { at };
    }
    let len = input.len().checked_sub(at).ok_or("an incomplete RPM package")?;
    let payload = input.part(at, len).ok_or("an incomplete RPM package")?;
    let stream = Stream { input: payload, at: 0 };
    let decoded = super::decoders::decoded(stream).map_err(|error| error.to_string())?;
    cpio::members(&mut Charged { inner: decoded, budget: of.budget }, of, to)
}

const NO_HEADER: &str = "an RPM package with an invalid header";
