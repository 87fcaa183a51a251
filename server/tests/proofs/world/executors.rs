//! Ways out that lose or hold what comes back, as a crash and a slow line do.

use std::sync::Arc;

use domain::connector::executor::{Executor, HttpExecutor, Outgoing, Reply};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::sync::Semaphore;

/// The process dies with the call in its hands: nothing is sent and nothing comes back.
pub struct Never;

impl Executor for Never {
    fn send<'a>(&'a self, _: Outgoing<'a>) -> BoxFuture<'a, Reply> {
        std::future::pending().boxed()
    }
}

/// Makes the call and keeps the answer to itself until it is let go.
#[derive(Clone)]
pub struct Held {
    executor: HttpExecutor,
    answered: Arc<Semaphore>,
    let_go: Arc<Semaphore>,
}

impl Held {
    pub fn new() -> Self {
        let none = || Arc::new(Semaphore::new(0));
        Self { executor: HttpExecutor::new(), answered: none(), let_go: none() }
    }

    /// Returns when an answer has come and is held.
    pub async fn answered(&self) {
        self.answered.acquire().await.unwrap().forget();
    }

    /// Lets one answer go.
    pub fn let_go(&self) {
        self.let_go.add_permits(1);
    }
}

impl Executor for Held {
    fn send<'a>(&'a self, call: Outgoing<'a>) -> BoxFuture<'a, Reply> {
        async {
            let reply = self.executor.send(call).await;
            self.answered.add_permits(1);
            self.let_go.acquire().await.unwrap().forget();
            reply
        }
        .boxed()
    }
}
