//! One signal that everything which runs for long listens to.

use std::sync::Arc;

use tokio::sync::watch;

/// Told once that the process ends. Clones share the signal.
#[derive(Debug, Clone)]
pub struct Shutdown(Arc<watch::Sender<bool>>);

impl Shutdown {
    /// Not yet told.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    /// Tells everybody.
    pub fn begin(&self) {
        self.0.send_replace(true);
    }

    /// Returns when it was told.
    pub async fn wait(&self) {
        // The sender lives in self, so that the channel cannot close meanwhile.
        let mut told = self.0.subscribe();
        let _told = told.wait_for(|told| *told).await;
    }
}

impl Default for Shutdown {
    fn default() -> Self {
        Self::new()
    }
}
