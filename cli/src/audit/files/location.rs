//! Location of a file: on disk, in a package, or in an archive.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The command-line name for standard input.
pub const STANDARD_INPUT: &str = "-";

/// The location of a file: its path on disk, its path in a package, and its name in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    pub file: Arc<PathBuf>,
    /// The path in a package and in nested packages, or empty if the file is not in a package.
    pub inner: Vec<u8>,
    pub member: Option<Vec<u8>>,
}

impl Location {
    pub fn of(path: &Path) -> Self {
        Location { file: Arc::new(path.to_owned()), inner: Vec::new(), member: None }
    }

    /// Returns the location of the file `name` in the package at `self`.
    pub fn within(&self, name: &[u8]) -> Self {
        let mut inner = self.inner.clone();
        if !inner.is_empty() {
            inner.push(b':');
        }
        inner.extend(name);
        Location { inner, file: self.file.clone(), member: None }
    }

    /// Returns the location as text, without the name of an archive member.
    pub fn outer(&self) -> Vec<u8> {
        let mut name = self.file.as_os_str().as_encoded_bytes().to_vec();
        if !self.inner.is_empty() {
            name.push(b':');
            name.extend(&self.inner);
        }
        name
    }

    /// Returns the whole location as text: `file:path(member)`.
    pub fn name(&self) -> Vec<u8> {
        let mut name = self.outer();
        if let Some(member) = &self.member {
            name.push(b'(');
            name.extend(member);
            name.push(b')');
        }
        name
    }

    /// Returns whether this is a whole file on disk or standard input.
    pub fn is_file(&self) -> bool {
        self.inner.is_empty() && self.member.is_none()
    }
}
