//! The last moment before bytes are sent.
//!
//! A connection is handed to the HTTP client through the gate. It knows whether
//! it let one through, which decides between "nothing was sent" and "lost".

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::task::{Context, Poll};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tower_layer::Layer;
use tower_service::Service;

use super::{Deadline, NotSentReason};

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The gate of one call.
pub(super) struct Gate {
    deadline: Option<Deadline>,
    open: AtomicBool,
    late: AtomicBool,
    /// 0 until an answer came.
    status: AtomicU16,
}

/// The connection came too late.
#[derive(Debug, thiserror::Error)]
#[error("the deadline has passed")]
struct Late;

impl Gate {
    pub(super) fn new(deadline: Option<Deadline>) -> Arc<Self> {
        Arc::new(Self {
            deadline,
            open: AtomicBool::new(false),
            late: AtomicBool::new(false),
            status: AtomicU16::new(0),
        })
    }

    /// Whether a byte may have been sent.
    pub(super) fn is_open(&self) -> bool {
        self.open.load(Ordering::SeqCst)
    }

    /// Spares the provider a connection that would come to nothing.
    pub(super) fn check_deadline(&self) -> Result<(), NotSentReason> {
        match self.deadline {
            Some(deadline) if deadline.has_passed() => Err(NotSentReason::Deadline),
            _ => Ok(()),
        }
    }

    /// Why the gate stayed shut, if it was the gate's doing.
    pub(super) fn refusal(&self) -> Option<NotSentReason> {
        self.late.load(Ordering::SeqCst).then_some(NotSentReason::Deadline)
    }

    pub(super) fn note_status(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    pub(super) fn status(&self) -> Option<u16> {
        Some(self.status.load(Ordering::SeqCst)).filter(|status| *status != 0)
    }

    fn pass(&self) -> Result<(), Late> {
        // Opened before the clock is read: when in doubt, something was sent.
        self.open.store(true, Ordering::SeqCst);
        if self.check_deadline().is_err() {
            self.late.store(true, Ordering::SeqCst);
            self.open.store(false, Ordering::SeqCst);
            return Err(Late);
        }
        Ok(())
    }
}

/// Puts the gate behind whatever connects.
#[derive(Clone)]
pub(super) struct GateLayer(Arc<Gate>);

impl GateLayer {
    pub(super) fn new(gate: &Arc<Gate>) -> Self {
        Self(Arc::clone(gate))
    }
}

impl<S> Layer<S> for GateLayer {
    type Service = Gated<S>;

    fn layer(&self, connect: S) -> Gated<S> {
        Gated { connect, gate: Arc::clone(&self.0) }
    }
}

/// Connects, then passes the gate.
#[derive(Clone)]
pub(super) struct Gated<S> {
    connect: S,
    gate: Arc<Gate>,
}

impl<S, T> Service<T> for Gated<S>
where
    S: Service<T, Error = BoxError>,
    S::Future: Send + 'static,
    S::Response: Send,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<S::Response, BoxError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.connect.poll_ready(context)
    }

    fn call(&mut self, target: T) -> Self::Future {
        let gate = Arc::clone(&self.gate);
        let connecting = self.connect.call(target);
        async move {
            let connection = connecting.await?;
            gate.pass()?;
            Ok(connection)
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn connection(deadline: Option<Deadline>) -> (Arc<Gate>, impl Future<Output = Result<u8, BoxError>>) {
        let gate = Gate::new(deadline);
        (Arc::clone(&gate), GateLayer::new(&gate).layer(Connect).call(7))
    }

    /// Connects at once, to what it was told.
    struct Connect;

    impl Service<u8> for Connect {
        type Response = u8;
        type Error = BoxError;
        type Future = std::future::Ready<Result<u8, BoxError>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, target: u8) -> Self::Future {
            std::future::ready(Ok(target))
        }
    }

    #[tokio::test]
    async fn a_connection_in_time_opens_it() {
        let (gate, connecting) = connection(Some(Deadline::after(Duration::from_mins(1))));
        assert!(!gate.is_open());
        assert_eq!(connecting.await.ok(), Some(7));
        assert!(gate.is_open());
        assert_eq!(gate.refusal(), None);
    }

    #[tokio::test]
    async fn a_connection_that_comes_late_does_not() {
        let (gate, connecting) = connection(Some(Deadline::after(Duration::ZERO)));
        assert!(connecting.await.is_err());
        assert!(!gate.is_open());
        assert_eq!(gate.refusal(), Some(NotSentReason::Deadline));
    }
}
