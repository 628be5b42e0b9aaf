//! Members of an RPM package. Its headers are skipped, and the compressed cpio archive after them is read.
//!
//! The crates for RPM and cpio are not used: `rpm` reads all headers and needs a signature library. `cpio` reads names
//! of any length into memory and rejects names that are not UTF-8.

use super::{Charged, LONGEST_NAME, Members, Package, Stream, read_fully};
use crate::audit::input::Input;
use std::io::{self, Read};

/// Lengths, in bytes, of the lead and of the beginning of a header.
const LEAD: u64 = 96;
const HEADER: u64 = 16;
/// The magic numbers of cpio archives: without and with checksums.
const CPIO: [&[u8]; 2] = [b"070701", b"070702"];
/// RPM's own archive format for packages with files of more than 4 GiB. Its entries refer to the package's header.
const STRIPPED: &[u8] = b"07070X";

pub fn is_cpio(head: &[u8]) -> bool {
    CPIO.iter().any(|magic| head.starts_with(magic))
}

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
    cpio_members(&mut Charged { inner: decoded, budget: of.budget }, to)
}

const NO_HEADER: &str = "an RPM package with an invalid header";

/// Examines the files in a cpio archive (`newc` format, cpio(5)).
pub fn cpio_members(reader: &mut dyn Read, to: &mut dyn Members) -> Result<(), String> {
    let broken = |error: io::Error| format!("an incomplete or invalid cpio archive: {error}");
    loop {
        let mut header = [0; 110];
        let held = read_fully(&mut &mut *reader, &mut header).map_err(broken)?;
        if header.starts_with(STRIPPED) {
            to.skip(None, "an RPM package that contains files larger than 4 GiB");
            return Ok(());
        }
        if held < header.len() || !is_cpio(&header) {
            return Err("an incomplete or invalid cpio archive".into());
        }
        let field = |number: usize| {
            let digits = header.get(6 + 8 * number..)?.first_chunk::<8>()?;
            u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
        };
        let (Some(mode), Some(len), Some(named)) = (field(1), field(6), field(11)) else {
            return Err("an invalid cpio archive".into());
        };
        if named as usize > LONGEST_NAME {
            return Err("a cpio archive with a name that is too long".into());
        }
        // Both the header with the name and the contents are padded to a multiple of four bytes.
        let padded = (header.len() + named as usize).next_multiple_of(4) - header.len();
        let mut name = vec![0; padded];
        reader.read_exact(&mut name).map_err(broken)?;
        name.truncate((named as usize).saturating_sub(1));
        if name == b"TRAILER!!!" {
            return Ok(());
        }
        let mut content = (&mut *reader).take(len.into());
        if mode & 0o170_000 == 0o100_000 {
            to.member(&name, &mut content)?;
        }
        io::copy(&mut content, &mut io::sink()).map_err(broken)?;
        io::copy(&mut (&mut *reader).take((4 - u64::from(len) % 4) % 4), &mut io::sink()).map_err(broken)?;
    }
}
