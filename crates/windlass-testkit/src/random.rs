//! Chance with a seed.

/// `SplitMix64`: small, seeded, the same everywhere.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts at a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A generator of its own for the case with this number, whatever others draw.
    pub fn for_case(seed: u64, case: u64) -> Self {
        let mut mixed = Self(seed ^ case.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        mixed.next();
        mixed
    }

    /// The next 64 bits.
    #[expect(clippy::should_implement_trait, reason = "it never ends, so it is no iterator")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// One of `choices`.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        let index = usize::try_from(self.below(choices.len() as u64)).unwrap_or(0);
        &choices[index]
    }

    /// Whether something that happens in so many of a hundred cases happens.
    pub fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }
}
