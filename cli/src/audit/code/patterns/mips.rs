//! Trampolines in MIPS code: the instruction words that GCC's code constructs from immediates.

use super::{Maker, NEAR, Parts, Site};
use memchr::memmem;

/// Finds `lui` instructions that load the upper halves of `l[wd] $t9, callee`, of `l[wd] $15, chain` and of the
/// instruction that copies an address to `$t9`, in either byte order.
pub fn mips(code: &[u8]) -> Vec<Site> {
    let mut sites = Vec::new();
    for big in [false, true] {
        // Most code contains neither the upper half of `ld $15, chain` nor that of `lw $15, chain`.
        let rare = [0xdf2f_u16, 0x8f2f].map(|half| if big { half.to_be_bytes() } else { half.to_le_bytes() });
        if !rare.iter().any(|half| memmem::find(code, half).is_some()) {
            continue;
        }
        let mut parts = Parts::<3>::new();
        for (index, word) in code.chunks_exact(4).enumerate() {
            let Some(&bytes) = word.first_chunk() else { continue };
            let word = if big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
            if word & 0xffe0_0000 != 0x3c00_0000 {
                // `jr $31`: the function ends.
                if word == 0x03e0_0008 {
                    parts.forget();
                }
                continue;
            }
            match word & 0xffff {
                0xdf2f | 0x8f2f => parts.store(0, 4 * index),
                0xdf21 | 0x8f21 | 0xdf39 | 0x8f39 => parts.store(1, 4 * index),
                0x0020 => parts.store(2, 4 * index),
                _ => continue,
            }
            parts.complete(&[0, 1, 2], NEAR, Maker::Gcc);
        }
        sites.append(&mut parts.sites);
    }
    sites.sort_by_key(|site| site.offset);
    sites
}
