//! A lock-free set of small numbers, one bit each. Knows nothing of trampolines.

use crate::sync::{AtomicUsize, Ordering, Relaxed};

/// Bits used of a word. loom's models use words of two bits, so that a few slots span words.
pub(crate) const BITS: usize = if cfg!(loom) { 2 } else { usize::BITS as usize };

/// Words that a set of numbers below `len` needs.
pub(crate) const fn words(len: usize) -> usize {
    len.div_ceil(BITS)
}

/// A set of numbers below `len`, in words that somebody else owns.
#[derive(Clone, Copy)]
pub(crate) struct Bitmap<'a> {
    words: &'a [AtomicUsize],
    len: usize,
}

impl<'a> Bitmap<'a> {
    /// The set in `words`, which must be all zero at first (the empty set).
    #[inline(always)]
    pub(crate) fn new(words: &'a [AtomicUsize], len: usize) -> Self {
        debug_assert!(words.len() == self::words(len));
        Self { words, len }
    }

    #[inline(always)]
    fn word_and_bit(self, member: usize) -> (&'a AtomicUsize, usize) {
        (&self.words[member / BITS], 1 << (member % BITS))
    }

    /// Whether `member` is in the set.
    #[inline(always)]
    pub(crate) fn contains(self, member: usize, order: Ordering) -> bool {
        let (word, bit) = self.word_and_bit(member);
        word.load(order) & bit != 0
    }

    /// Puts `member` into the set.
    #[inline(always)]
    pub(crate) fn insert(self, member: usize, order: Ordering) {
        let (word, bit) = self.word_and_bit(member);
        word.fetch_or(bit, order);
    }

    /// Takes `member` out of the set.
    #[inline(always)]
    pub(crate) fn remove(self, member: usize, order: Ordering) {
        let (word, bit) = self.word_and_bit(member);
        word.fetch_and(!bit, order);
    }

    /// Bits of word `w` that stand for numbers below `len`.
    fn valid(self, w: usize) -> usize {
        let used = (self.len - w * BITS).min(BITS);
        usize::MAX >> (usize::BITS as usize - used)
    }

    /// Puts the first number that is not in the set into it, beginning in word `start`
    /// and going round; `None` if all are in it. Never fails while a number is free
    /// that nobody else is putting in.
    ///
    /// A word that another thread is changing at this moment is left on the first round.
    /// On the second it is tried until it is full: a failed exchange there means that
    /// another thread's succeeded, so the whole is lock-free.
    ///
    /// Relaxed is enough: the exchange alone decides who has the number, and no data is
    /// handed over with it.
    pub(crate) fn claim_absent(self, start: usize) -> Option<usize> {
        let count = self.words.len();
        for patient in [false, true] {
            for step in 0..count {
                let w = (start + step) % count;
                let mut seen = self.words[w].load(Relaxed);
                loop {
                    let absent = !seen & self.valid(w);
                    if absent == 0 {
                        break;
                    }
                    let bit = absent & absent.wrapping_neg();
                    match self.words[w].compare_exchange(seen, seen | bit, Relaxed, Relaxed) {
                        Ok(_) => return Some(w * BITS + bit.trailing_zeros() as usize),
                        Err(_) if !patient => break,
                        Err(now) => seen = now,
                    }
                }
            }
        }
        None
    }

    /// The members as they are now, each once, beginning with `start` and going round.
    pub(crate) fn members_from(self, start: usize) -> impl Iterator<Item = usize> + 'a {
        let count = self.words.len();
        let (first, below) = (start / BITS, (1usize << (start % BITS)) - 1);
        (0..=count).flat_map(move |step| {
            let w = (first + step) % count;
            let mut bits = self.words[w].load(Relaxed) & self.valid(w);
            // The word of `start` comes twice: its upper part first, its lower part last.
            if step == 0 {
                bits &= !below;
            } else if step == count {
                bits &= below;
            }
            core::iter::from_fn(move || {
                let bit = bits & bits.wrapping_neg();
                bits ^= bit;
                (bit != 0).then(|| w * BITS + bit.trailing_zeros() as usize)
            })
        })
    }
}
