//! The list that the compiler reads while it runs.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;

/// Returns a random name for a list.
pub fn token() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

/// A list in a temporary directory. Dropping this value removes the list and the directory.
pub struct Temporary {
    directory: PathBuf,
    pub list: PathBuf,
}

impl Temporary {
    /// Creates the directory and the file. An existing directory belongs to another process, so the function tries another
    /// name.
    pub fn new(text: &[u8]) -> std::io::Result<Temporary> {
        let mut number = 0u32;
        let directory = loop {
            let name = format!("statictramp-captures-{}-{number}", std::process::id());
            let directory = std::env::temp_dir().join(name);
            #[cfg_attr(not(unix), allow(unused_mut))]
            let mut builder = std::fs::DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            match builder.create(&directory) {
                Ok(()) => break directory,
                Err(why) if why.kind() == std::io::ErrorKind::AlreadyExists && number < 1000 => number += 1,
                Err(why) => return Err(why),
            }
        };
        let temporary = Temporary { list: directory.join("list"), directory };
        std::fs::write(&temporary.list, text)?;
        Ok(temporary)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.list);
        let _ = std::fs::remove_dir(&self.directory);
    }
}
