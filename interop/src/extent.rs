//! How far the elements of an array reach.

/// From the lowest to the highest offset of an array's elements, with a dimension more; `None` if one is more than an
/// `isize` holds. Only for arrays that have elements: without any there are no offsets.
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
