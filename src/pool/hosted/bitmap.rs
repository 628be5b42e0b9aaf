//! A lock-free set of small numbers, with one bit for each number. Nothing in this file depends on trampolines.

use crate::sync::{AtomicUsize, Ordering, Relaxed};

/// The number of bits used in a word. loom's models use words of two bits, so that even a few slots span several words.
pub(crate) const BITS: usize = if cfg!(loom) { 2 } else { usize::BITS as usize };

/// Returns the number of words for a set of numbers below `len`.
pub(crate) const fn words(len: usize) -> usize {
    len.div_ceil(BITS)
}

/// A set of numbers below `len`, stored in borrowed words.
#[derive(Clone, Copy)]
pub(crate) struct Bitmap<'a> {
    words: &'a [AtomicUsize],
    len: usize,
}

impl<'a> Bitmap<'a> {
    /// Returns the set stored in `words`, which must initially be all zero (the empty set).
    #[inline(always)]
    pub(crate) fn new(words: &'a [AtomicUsize], len: usize) -> Self {
        debug_assert!(words.len() == self::words(len));
        Self { words, len }
    }

    /// Returns the exclusive upper bound of the numbers in the set.
    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        self.len
    }

    /// Returns the number of words that hold the set.
    pub(crate) fn words(self) -> usize {
        self.words.len()
    }

    /// Returns word `w`, which must be below the number of words. A check would link the panic machinery into programs
    /// that otherwise do not need it.
    #[inline(always)]
    fn word(self, w: usize) -> &'a AtomicUsize {
        debug_assert!(w < self.words.len());
        // SAFETY: every `w` in this file is the index of the word for a number below `len`, the result of `after` for
        // such a word, or the start that a caller passes, which is below `words(len)`.
        unsafe { self.words.get_unchecked(w) }
    }

    #[inline(always)]
    fn word_and_bit(self, member: usize) -> (&'a AtomicUsize, usize) {
        debug_assert!(member < self.len);
        (self.word(member / BITS), 1 << (member % BITS))
    }

    /// Returns whether `member` is in the set.
    #[inline(always)]
    pub(crate) fn contains(self, member: usize, order: Ordering) -> bool {
        let (word, bit) = self.word_and_bit(member);
        word.load(order) & bit != 0
    }

    /// Adds `member` to the set.
    #[inline(always)]
    pub(crate) fn insert(self, member: usize, order: Ordering) {
        let (word, bit) = self.word_and_bit(member);
        word.fetch_or(bit, order);
    }

    /// Removes `member` from the set.
    #[inline(always)]
    pub(crate) fn remove(self, member: usize, order: Ordering) {
        let (word, bit) = self.word_and_bit(member);
        word.fetch_and(!bit, order);
    }

    /// Returns the bits of word `w` that represent numbers below `len`.
    fn valid(self, w: usize) -> usize {
        let used = (self.len - w * BITS).min(BITS);
        usize::MAX >> (usize::BITS as usize - used)
    }

    /// Adds and returns the first number that is not in the set, searching from word `start` and wrapping around.
    /// Returns `None` if the set contains all numbers. If no number is ever removed, this is the only reason for
    /// `None`.
    ///
    /// The first round skips any word that another thread is concurrently changing; the second round retries each word
    /// until it is full. An exchange fails only if another thread's exchange succeeded, so the function is lock-free.
    ///
    /// Relaxed is enough: the exchange alone decides which thread gets the number, and publishes no data.
    #[inline]
    pub(crate) fn claim_absent(self, start: usize) -> Option<usize> {
        let mut w = start;
        for step in 0..2 * self.words.len() {
            let mut seen = self.word(w).load(Relaxed);
            loop {
                let absent = !seen & self.valid(w);
                if absent == 0 {
                    break;
                }
                let bit = absent & absent.wrapping_neg();
                match self.word(w).compare_exchange(seen, seen | bit, Relaxed, Relaxed) {
                    Ok(_) => return Some(w * BITS + bit.trailing_zeros() as usize),
                    Err(_) if step < self.words.len() => break,
                    Err(now) => seen = now,
                }
            }
            w = self.after(w);
        }
        None
    }

    /// Returns the word after word `w`, wrapping around.
    #[inline(always)]
    fn after(self, w: usize) -> usize {
        if w + 1 < self.words.len() { w + 1 } else { 0 }
    }

    /// Returns each member once, beginning at `start` and wrapping around. Each word is read when the iterator reaches
    /// it. The first word is read again after the wrap, for the members below `start`.
    #[inline]
    pub(crate) fn members_from(self, start: usize) -> Members<'a> {
        let below = (1usize << (start % BITS)) - 1;
        let (at, left) = (start / BITS, self.words.len());
        Members { set: self, at, bits: self.word(at).load(Relaxed) & !below, below, left }
    }
}

/// The iterator of [`Bitmap::members_from`].
pub(crate) struct Members<'a> {
    set: Bitmap<'a>,
    /// The index of the current word, whose remaining members are in `bits`.
    at: usize,
    bits: usize,
    /// The bits of the first word that are visited after the wrap.
    below: usize,
    /// The number of words still to visit, including the bits in `below` as a word.
    left: usize,
}

impl Iterator for Members<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.bits == 0 {
            self.left = self.left.checked_sub(1)?;
            self.at = self.set.after(self.at);
            self.bits = self.set.word(self.at).load(Relaxed);
            if self.left == 0 {
                self.bits &= self.below;
            }
        }
        let bit = self.bits & self.bits.wrapping_neg();
        self.bits ^= bit;
        Some(self.at * BITS + bit.trailing_zeros() as usize)
    }
}
