//! Images of a process. Each image begins with a mapping of the first byte of its file. That byte is also mapped if the
//! program maps the file to read it, as code that prints backtraces does. A file loaded several times (dlmopen(3)) has
//! several images.

use crate::image::maps::Maps;
use crate::image::notes::{Image, NotRead};
use crate::image::source::Source;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Limits on the number of images per file (glibc supports 16 namespaces), and on the total size in bytes of all
/// headers.
const MOST_OF_FILE: usize = 16;
const MOST_BYTES: usize = 1 << 24;

/// The images, indexed by file number in [`Maps`].
pub struct Images {
    of_files: BTreeMap<usize, Vec<Image>>,
    /// Whether any image is 32-bit.
    pub narrow: bool,
    /// Whether further images were ignored to stay within the limit on the total size of all headers.
    pub more: bool,
}

impl Images {
    /// Returns the images of a process.
    pub fn of(source: &impl Source, maps: &Maps) -> Self {
        let mut images = Images { of_files: BTreeMap::new(), narrow: false, more: false };
        // The first image of each file in mappings at addresses that the loader would not have chosen, used if the
        // loader did not map the file.
        let mut others: BTreeMap<usize, Image> = BTreeMap::new();
        let mut left = MOST_BYTES;
        for mapping in maps.mappings.iter().filter(|m| m.readable && m.offset == 0) {
            let image = match Image::at(source, mapping.start) {
                Ok(image) => image,
                Err(why) => {
                    images.narrow |= why == NotRead::Narrow;
                    continue;
                }
            };
            let Some(still) = left.checked_sub(image.size()) else {
                images.more = true;
                break;
            };
            if image.is_loaded(maps, mapping.file) {
                let of_file = images.of_files.entry(mapping.file).or_default();
                if of_file.len() < MOST_OF_FILE {
                    of_file.push(image);
                    left = still;
                }
            } else if let Entry::Vacant(entry) = others.entry(mapping.file) {
                entry.insert(image);
                left = still;
            }
        }
        for (file, image) in others {
            images.of_files.entry(file).or_insert_with(|| vec![image]);
        }
        images
    }

    /// Returns one image of a file. All images of a file have the same headers.
    pub fn of_file(&self, file: usize) -> Option<&Image> {
        self.of_files.get(&file)?.first()
    }

    pub fn all(&self) -> impl Iterator<Item = &Image> {
        self.of_files.values().flatten()
    }

    /// Returns the files with their images, sorted by file name.
    pub fn in_order(&self, maps: &Maps) -> Vec<(usize, &[Image])> {
        let mut order: Vec<_> = self.of_files.iter().map(|(&file, images)| (file, &images[..])).collect();
        order.sort_by_key(|&(file, _)| maps.files.get(file).map(|file| &file.path));
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    /// A source with the same image header on every page.
    struct Everywhere(Vec<u8>);

    impl Source for Everywhere {
        fn read(&self, address: u64, bytes: &mut [u8]) -> io::Result<()> {
            let at = (address % 0x1000) as usize;
            bytes.copy_from_slice(self.0.get(at..at + bytes.len()).ok_or(io::ErrorKind::UnexpectedEof)?);
            Ok(())
        }
    }

    /// Builds the headers of an ELF image with `count` program headers. The first byte is mapped at 0, and the code (at
    /// offset 0x1000) at 0x3000.
    fn head(count: u16) -> Vec<u8> {
        let mut head = vec![0; 0x1000];
        let mut put = |at: usize, bytes: &[u8]| head[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, b"\x7fELF\x02\x01");
        put(32, &64u64.to_le_bytes());
        put(54, &56u16.to_le_bytes());
        put(56, &count.to_le_bytes());
        for (at, rights, offset, address) in [(64, 4u32, 0u64, 0u64), (120, 5, 0x1000, 0x3000)] {
            put(at, &1u32.to_le_bytes());
            put(at + 4, &rights.to_le_bytes());
            put(at + 8, &offset.to_le_bytes());
            put(at + 16, &address.to_le_bytes());
            put(at + 32, &0x1000u64.to_le_bytes());
        }
        head
    }

    fn bases(maps: &str) -> Vec<u64> {
        let maps = Maps::read(maps.as_bytes()).unwrap();
        let images = Images::of(&Everywhere(head(2)), &maps);
        images.all().filter_map(|image| image.loaded_at(0)).collect()
    }

    #[test]
    fn an_image_is_found_at_its_code() {
        let flat = "10000-14000 r--p 0 0:1 7 /a\n";
        let executable = "10000-14000 r-xp 0 0:1 7 /a\n";
        let one = "20000-21000 r--p 0 0:1 7 /a\n23000-24000 r-xp 1000 0:1 7 /a\n";
        let two = "40000-41000 r--p 0 0:1 7 /a\n43000-44000 r-xp 1000 0:1 7 /a\n";
        let above = "50000-54000 r--p 0 0:1 7 /a\n";
        let of_another = "20000-21000 r--p 0 0:1 7 /a\n23000-24000 r-xp 1000 0:1 8 /a\n";
        for (maps, wanted) in [
            (vec![one], &[0x20000][..]),
            (vec![flat, one], &[0x20000]),
            (vec![executable, one], &[0x20000]),
            (vec![flat, one, above], &[0x20000]),
            (vec![flat, one, two], &[0x20000, 0x40000]),
            (vec![flat], &[0x10000]),
            (vec![flat, of_another], &[0x10000]),
        ] {
            assert_eq!(bases(&maps.concat()), wanted, "{maps:?}");
        }
    }

    #[test]
    fn the_total_size_of_image_headers_is_limited() {
        let maps: String = (1..3_000).map(|n| format!("{n}000-{n}800 r--p 0 0:1 {n} /a\n")).collect();
        let maps = Maps::read(maps.as_bytes()).unwrap();
        let few = Images::of(&Everywhere(head(2)), &maps);
        assert!(!few.more && few.all().count() == 2_999);
        let many = Images::of(&Everywhere(head(70)), &maps);
        assert!(many.more && many.all().map(Image::size).sum::<usize>() <= MOST_BYTES);
    }
}
