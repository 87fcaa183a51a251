//! How many calls one token may make, counted by this server in memory.
//!
//! It keeps a runaway loop from taking the server from everybody else. It is no
//! part of any permission, so that several servers may each count for themselves.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use domain::ids::TokenId;

/// How many calls may come at once.
const BURST: f64 = 120.0;
/// How many more may come in each second.
const PER_SECOND: f64 = 20.0;

/// One bucket for each token that was seen lately.
#[derive(Debug, Clone, Default)]
pub struct Rates {
    buckets: Arc<Mutex<HashMap<TokenId, Bucket>>>,
}

#[derive(Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Rates {
    /// Counts one call.
    ///
    /// # Errors
    /// How long to wait, if there were too many.
    pub fn count(&self, token: &TokenId) -> Result<(), Duration> {
        self.count_at(token, Instant::now())
    }

    fn count_at(&self, token: &TokenId, now: Instant) -> Result<(), Duration> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        // A bucket that is full again says nothing; without this the map would
        // keep every token there ever was.
        if buckets.len() > 1_000 {
            buckets.retain(|_, bucket| bucket.refilled(now) < BURST);
        }
        let bucket = buckets.entry(token.clone()).or_insert(Bucket { left: BURST, at: now });
        bucket.left = bucket.refilled(now);
        bucket.at = now;
        if bucket.left < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - bucket.left) / PER_SECOND));
        }
        bucket.left -= 1.0;
        Ok(())
    }
}

impl Bucket {
    fn refilled(&self, now: Instant) -> f64 {
        (self.left + now.saturating_duration_since(self.at).as_secs_f64() * PER_SECOND).min(BURST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_let_through_then_slowed() {
        let rates = Rates::default();
        let (one, other) = (TokenId::from_random([1; 16]), TokenId::from_random([2; 16]));
        let start = Instant::now();
        for _ in 0..120 {
            assert_eq!(rates.count_at(&one, start), Ok(()));
        }
        let wait = rates.count_at(&one, start).unwrap_err();
        assert!(wait <= Duration::from_millis(50), "{wait:?}");
        assert_eq!(rates.count_at(&other, start), Ok(()));
        assert_eq!(rates.count_at(&one, start + Duration::from_millis(60)), Ok(()));
        assert!(rates.count_at(&one, start + Duration::from_millis(60)).is_err());
    }
}
