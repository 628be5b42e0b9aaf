//! The systems next door: rules and data of other languages and their compilers.

pub mod capture;
pub mod descriptor;
#[cfg(target_pointer_width = "64")]
pub mod instance;
pub mod memref;
pub mod offload;

/// From the lowest to the highest offset of an array's elements, with a dimension more; `None` if one is more than an
/// `isize` holds. Only for arrays that have elements: without any there are no offsets.
fn with_dimension((lowest, highest): (isize, isize), extent: isize, stride: isize) -> Option<(isize, isize)> {
    let reach = extent.saturating_sub(1).max(0).checked_mul(stride)?;
    Some(if reach < 0 {
        (lowest.checked_add(reach)?, highest)
    } else {
        (lowest, highest.checked_add(reach)?)
    })
}
