//! Ranges of array element offsets.

/// Extends the range of element offsets (lowest to highest) by one dimension. Returns `None` if an offset does not fit
/// into `isize`. The array must not be empty, because an empty array has no offsets.
pub(crate) fn with_dimension(
    (lowest, highest): (isize, isize),
    extent: isize,
    stride: isize,
) -> Option<(isize, isize)> {
    let reach = extent.saturating_sub(1).max(0).checked_mul(stride)?;
    Some(if reach < 0 {
        (lowest.checked_add(reach)?, highest)
    } else {
        (lowest, highest.checked_add(reach)?)
    })
}
