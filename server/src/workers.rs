//! What is done without being asked: tidying up. Nothing waits for it; every
//! deadline is judged again where it matters.

use std::future::Future;
use std::time::Duration;

use domain::error::Result;
use domain::service::Service;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use crate::shutdown::Shutdown;

const PROPOSALS_EVERY: Duration = Duration::from_secs(5);
const SESSIONS_EVERY: Duration = Duration::from_mins(1);

/// The workers that run.
pub struct Workers(JoinSet<()>);

impl Workers {
    /// Starts them; they end when `shutdown` is told.
    #[must_use]
    pub fn start(service: &Service, shutdown: &Shutdown) -> Self {
        let mut workers = JoinSet::new();
        let proposals = service.clone();
        workers.spawn(every(PROPOSALS_EVERY, "proposals", shutdown.clone(), move || {
            let service = proposals.clone();
            async move { service.sweep_proposals().await }
        }));
        let sessions = service.clone();
        workers.spawn(every(SESSIONS_EVERY, "sessions", shutdown.clone(), move || {
            let service = sessions.clone();
            async move { service.sweep_sessions().await }
        }));
        Self(workers)
    }

    /// Returns when each has ended what it was at.
    pub async fn stopped(mut self) {
        while let Some(ended) = self.0.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "a worker did not end by itself");
            }
        }
    }
}

/// A sweep that fails, or panics, is tried again at the next tick.
async fn every<F>(period: Duration, what: &'static str, shutdown: Shutdown, sweep: impl Fn() -> F)
where
    F: Future<Output = Result<u64>> + Send + 'static,
{
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.wait() => return,
            _ = ticks.tick() => {}
        }
        match tokio::spawn(sweep()).await {
            Ok(Ok(0)) => {}
            Ok(Ok(count)) => tracing::info!(what, count, "tidied up"),
            Ok(Err(error)) => tracing::warn!(what, code = error.code(), "tidying up failed; it is tried again"),
            Err(panic) => tracing::error!(what, error = %panic, "tidying up panicked; it is tried again"),
        }
    }
}
