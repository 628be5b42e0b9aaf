//! Tables of pairs sorted by host address.

use super::{FunctionPair, MapError};

/// Pairs sorted by host address, in either unsigned or signed order, like the table that `__omp_offloading_fptr_map_p`
/// points to.
#[derive(Clone, Copy, Debug)]
pub struct SortedFunctions<'t>(&'t [FunctionPair]);

impl<'t> SortedFunctions<'t> {
    /// Sorts pairs by unsigned host addresses, and merges equal pairs.
    ///
    /// # Errors
    /// [`MapError::NullHost`], [`MapError::NullTarget`], [`MapError::Conflict`]. Even on error, the slice may have been
    /// reordered.
    pub fn new(pairs: &'t mut [FunctionPair]) -> Result<Self, MapError> {
        no_null(pairs)?;
        pairs.sort_unstable_by_key(|pair| pair.host);
        let mut kept: usize = 0;
        for index in 0..pairs.len() {
            let Some(&pair) = pairs.get(index) else { break };
            match kept.checked_sub(1).and_then(|last| pairs.get(last)) {
                Some(last) if *last == pair => continue,
                Some(last) if last.host == pair.host => return Err(MapError::Conflict(pair.host)),
                _ => {}
            }
            if let Some(kept_pair) = pairs.get_mut(kept) {
                *kept_pair = pair;
                kept += 1;
            }
        }
        let pairs: &[FunctionPair] = pairs;
        Ok(SortedFunctions(pairs.get(..kept).unwrap_or(pairs)))
    }

    /// Checks pairs that are already sorted, and uses them unchanged. Adjacent pairs may be equal.
    ///
    /// # Errors
    /// [`MapError::NullHost`], [`MapError::NullTarget`], [`MapError::Conflict`], [`MapError::Order`].
    pub fn in_order(pairs: &'t [FunctionPair]) -> Result<Self, MapError> {
        no_null(pairs)?;
        let (mut unsigned, mut signed) = (true, true);
        for (index, (before, pair)) in pairs.iter().zip(pairs.iter().skip(1)).enumerate() {
            unsigned &= before.host <= pair.host;
            signed &= before.host.cast_signed() <= pair.host.cast_signed();
            if !unsigned && !signed {
                return Err(MapError::Order(index + 1));
            }
            if pair.host == before.host && pair.target != before.target {
                return Err(MapError::Conflict(pair.host));
            }
        }
        Ok(SortedFunctions(pairs))
    }

    /// Like [`in_order`](SortedFunctions::in_order), but does not check the pairs. If they are not sorted, `find` may
    /// miss some of them.
    #[doc(hidden)]
    pub fn assume(pairs: &'t [FunctionPair]) -> Self {
        SortedFunctions(pairs)
    }

    /// Returns the pairs.
    pub fn pairs(&self) -> &'t [FunctionPair] {
        self.0
    }

    /// Returns the device address for a host address, or `None` if no pair has this host address. Checked pairs contain
    /// no null address.
    #[inline]
    pub fn find(&self, host: u64) -> Option<u64> {
        let (Some(first), Some(last)) = (self.0.first(), self.0.last()) else {
            return None;
        };
        // Modulo 2^64, the distances from the first address ascend in both orders, because each order is a rotation of
        // the other.
        let distance = |address: u64| address.wrapping_sub(first.host);
        if distance(host) > distance(last.host) {
            return None;
        }
        // Halves the remaining range. The hint makes the compiler select `base` without a branch.
        let (mut base, mut len) = (self.0.as_ptr(), self.0.len());
        while len > 1 {
            let half = len / 2;
            // SAFETY: `len` pairs begin at `base`, both initially and after each iteration.
            unsafe {
                let middle = base.add(half);
                base = core::hint::select_unpredictable(
                    distance((*middle).host) <= distance(host),
                    middle,
                    base,
                );
            }
            len -= half;
        }
        // SAFETY: `base` points to the one remaining pair.
        let pair = unsafe { &*base };
        (pair.host == host).then_some(pair.target)
    }
}

/// Checks that no host or device address is null.
fn no_null(pairs: &[FunctionPair]) -> Result<(), MapError> {
    if let Some(index) = pairs.iter().position(|pair| pair.host == 0) {
        return Err(MapError::NullHost(index));
    }
    pairs.iter().position(|pair| pair.target == 0).map_or(Ok(()), |index| Err(MapError::NullTarget(index)))
}
