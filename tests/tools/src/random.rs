//! Random choices that a seed determines.

pub struct Random(fastrand::Rng);

impl Random {
    /// Starts from a seed. Returns `None` if it is not a number.
    pub fn new(seed: &str) -> Option<Random> {
        seed.parse().ok().map(|seed| Random(fastrand::Rng::with_seed(seed)))
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end)
    }

    /// Returns true with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.0.f64() < probability
    }

    /// Returns one of the elements.
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}
