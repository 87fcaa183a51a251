//! A task that ends with the test that began it.

use tokio::task::JoinHandle;

/// Aborted when it is dropped.
pub struct Task(JoinHandle<()>);

impl Task {
    pub fn spawn<T>(work: impl Future<Output = T> + Send + 'static) -> Self {
        Self(tokio::spawn(async {
            work.await;
        }))
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}
