//! Queries to the kernel: restrictions on memory, and mappings.

use std::ffi::CStr;
use std::fmt;
use std::fs;
use std::io;

/// The result of asking the kernel to deny writable and executable memory.
pub enum Restriction {
    /// The restriction has taken effect for this process and its children.
    InForce,
    /// The restriction is not available. The error explains why.
    NotAvailable(io::Error),
}

impl Restriction {
    pub fn is_in_force(&self) -> bool {
        matches!(self, Restriction::InForce)
    }
}

impl fmt::Display for Restriction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Restriction::InForce => f.write_str("in force for this process"),
            Restriction::NotAvailable(why) => write!(f, "not available ({why}); needs Linux 6.3"),
        }
    }
}

/// Asks the kernel to deny, from now on, every mapping that is both writable and executable, and every change that makes
/// a mapping executable (prctl(2), PR_SET_MDWE).
pub fn deny_writable_and_executable() -> Restriction {
    // SAFETY: the call only removes permissions and accesses no memory.
    let result =
        unsafe { libc::prctl(libc::PR_SET_MDWE, libc::PR_MDWE_REFUSE_EXEC_GAIN as libc::c_ulong, 0, 0, 0) };
    if result == 0 { Restriction::InForce } else { Restriction::NotAvailable(io::Error::last_os_error()) }
}

/// Tries to map a writable and executable page, which must fail under the restriction.
pub fn probe(restriction: &Restriction) -> Result<&'static str, String> {
    // SAFETY: no other code uses the new mapping.
    let got = unsafe {
        let page = libc::mmap(
            std::ptr::null_mut(),
            page_size(),
            libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        if page != libc::MAP_FAILED {
            libc::munmap(page, page_size());
        }
        page != libc::MAP_FAILED
    };
    match (restriction, got) {
        (Restriction::InForce, true) => Err("the kernel claims to deny W+X but granted it".into()),
        (Restriction::InForce, false) => Ok("an attempt to map a W+X page was denied"),
        (Restriction::NotAvailable(_), true) => Ok("no: a W+X mapping was granted"),
        (Restriction::NotAvailable(_), false) => Ok("an attempt to map a W+X page failed for another reason"),
    }
}

/// Returns the size of a page in bytes.
pub fn page_size() -> usize {
    // SAFETY: the call only returns a constant.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

/// Returns the operating system's name and release, and the machine's architecture, as reported by `uname`.
pub fn system() -> String {
    // SAFETY: an all-zero utsname contains empty strings, and uname fills it with zero-terminated strings.
    let names = unsafe {
        let mut names: libc::utsname = std::mem::zeroed();
        libc::uname(&mut names);
        names
    };
    // SAFETY: as above.
    let text =
        |field: &[libc::c_char]| unsafe { CStr::from_ptr(field.as_ptr()) }.to_string_lossy().into_owned();
    format!("{} {}, {}", text(&names.sysname), text(&names.release), text(&names.machine))
}

/// The reasons why `no_writable_and_executable_mapping` fails.
pub enum Mappings {
    /// The list of mappings cannot be read.
    Unreadable(String),
    /// A mapping is both writable and executable. The string describes the mapping.
    Both(String),
}

/// Reads /proc/self/maps. The error describes the first writable and executable mapping.
pub fn no_writable_and_executable_mapping() -> Result<String, Mappings> {
    let maps = fs::read_to_string("/proc/self/maps");
    let maps = maps.map_err(|e| Mappings::Unreadable(format!("unknown: /proc/self/maps: {e}")))?;
    let both = |line: &&str| line.split(' ').nth(1).is_some_and(|rights| rights.contains("wx"));
    match maps.lines().find(both) {
        Some(line) => Err(Mappings::Both(format!("a mapping is writable and executable: {line}"))),
        None => Ok(format!("none of {}", maps.lines().count())),
    }
}
