//! Deadlines on a clock that goes on while the machine sleeps.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Counts suspension, unlike `Instant`: a laptop that was closed over night
/// must not send what was claimed the evening before.
#[cfg(target_os = "linux")]
const CLOCK: ClockId = ClockId::Boottime;
/// Elsewhere this is the nearest there is (on macOS it counts suspension too).
#[cfg(not(target_os = "linux"))]
const CLOCK: ClockId = ClockId::Monotonic;

/// A moment after which nothing may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Duration);

impl Deadline {
    /// So long from now. Take it before the lease that it stands for is
    /// claimed, so that it can only be early.
    #[must_use]
    pub fn after(span: Duration) -> Self {
        Self(now().saturating_add(span))
    }

    /// Whether it has passed.
    #[must_use]
    pub fn has_passed(self) -> bool {
        now() >= self.0
    }
}

fn now() -> Duration {
    let time = clock_gettime(CLOCK);
    // Neither is negative: this clock counts from the start of the machine.
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_passes() {
        assert!(Deadline::after(Duration::ZERO).has_passed());
        assert!(!Deadline::after(Duration::from_mins(1)).has_passed());
        let short = Deadline::after(Duration::from_millis(5));
        std::thread::sleep(Duration::from_millis(10));
        assert!(short.has_passed());
    }
}
