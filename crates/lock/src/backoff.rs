//! How long to wait before trying again.

use std::time::Duration;

/// A random time below `base` doubled `attempt` times, at most `cap`: competitors that failed together do not come back
/// together.
#[must_use]
pub fn full_jitter(base: Duration, cap: Duration, attempt: u32) -> Duration {
    let ceiling = base.saturating_mul(2_u32.saturating_pow(attempt)).min(cap);
    let micros = u64::try_from(ceiling.as_micros()).unwrap_or(u64::MAX);
    Duration::from_micros(rand::random_range(0..=micros))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_and_stays_below_the_cap() {
        let (base, cap) = (Duration::from_millis(25), Duration::from_secs(1));
        assert!((0..200).all(|_| full_jitter(base, cap, 0) <= base));
        assert!((0..200).all(|attempt| full_jitter(base, cap, attempt) <= cap));
        assert!((0..200).any(|_| full_jitter(base, cap, 5) > base));
    }
}
