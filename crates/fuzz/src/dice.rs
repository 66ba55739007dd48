//! Numbers that a seed decides, the same in every version of every library.

/// A source of choices: the same seed makes the same ones.
#[derive(Debug, Clone)]
pub struct Dice {
    state: u64,
}

impl Dice {
    /// Dice that `seed` decides.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number.
    pub fn throw(&mut self) -> u64 {
        // SplitMix64
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; zero if that is zero.
    pub fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.throw() % end).unwrap_or(0)
    }

    /// True in `percent` of a hundred throws.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `all`.
    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        let at = self.below(all.len());
        all.get(at)
    }

    /// One of these words; empty if there is none.
    pub fn word<'a>(&mut self, all: &[&'a str]) -> &'a str {
        self.pick(all).copied().unwrap_or_default()
    }

    /// Between one and `most` of `all`, in a random order.
    pub fn some<T: Clone>(&mut self, all: &[T], most: usize) -> Vec<T> {
        let mut rest = all.to_vec();
        let wanted = 1 + self.below(most.min(rest.len()));
        let mut taken = Vec::new();
        while taken.len() < wanted && !rest.is_empty() {
            let at = self.below(rest.len());
            taken.push(rest.swap_remove(at));
        }
        taken
    }

    /// `text` in `percent` of a hundred throws, else nothing.
    pub fn maybe<'a>(&mut self, percent: usize, text: &'a str) -> &'a str {
        if self.chance(percent) { text } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_everything() {
        let throws = |seed| {
            let mut dice = Dice::new(seed);
            (0..4).map(|_| dice.throw()).collect::<Vec<_>>()
        };
        assert_eq!(throws(7), throws(7));
        assert_ne!(throws(7), throws(8));
        assert_eq!(Dice::new(1).below(0), 0);
        assert!(Dice::new(1).some::<u8>(&[], 3).is_empty());
    }
}
