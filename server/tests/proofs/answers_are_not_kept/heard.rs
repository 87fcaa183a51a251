//! Everything that is traced on this thread, at every level, ours and our
//! dependencies'; without what the product never lets into its log.

use std::cell::Cell;
use std::io;
use std::sync::{Arc, Mutex};

use tracing_subscriber::filter::{FilterExt as _, dynamic_filter_fn};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

/// Also what is quiet unless somebody asks for it.
const EVERYTHING: &str = "trace,tower_sessions=trace,tower_sessions_core=trace,sqlx::postgres::notice=trace";

thread_local! {
    static LISTENING: Cell<bool> = const { Cell::new(false) };
}

/// What was heard. Clones share it.
#[derive(Clone, Default)]
pub struct Heard(Arc<Mutex<Vec<u8>>>);

impl Heard {
    /// Listens to this thread from now on, also to what comes by way of `log`.
    ///
    /// For the whole process, and not only for this thread, because what a line is
    /// worth is remembered for the process: another test that comes to a line first,
    /// on a thread where nobody listens, would silence it here.
    pub fn listen(&self) {
        // What the product never lets into its log stays out; nothing else does.
        let ours = server::telemetry::checked_filter(EVERYTHING).unwrap();
        let here = ours.and(dynamic_filter_fn(|_, _| LISTENING.get()));
        let lines = tracing_subscriber::fmt::layer()
            .with_writer(self.clone())
            .with_ansi(false)
            .with_span_events(FmtSpan::FULL)
            .with_filter(here);
        tracing_subscriber::registry().with(lines).try_init().unwrap();
        LISTENING.set(true);
        tracing::callsite::rebuild_interest_cache();
    }

    pub fn all(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

impl<'a> MakeWriter<'a> for Heard {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl io::Write for Heard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
