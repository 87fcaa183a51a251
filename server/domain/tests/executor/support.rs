//! A server over plain sockets, and a call to it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use domain::connector::call::Call;
use domain::connector::executor::{
    CALL_TIMEOUT, Deadline, Executor as _, HttpExecutor, LostReason, NotSentReason, Outgoing, Reply,
};
use domain::connector::manifest::{Auth, Method};
use domain::connector::secret::Secret;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// An answer as bytes.
pub fn answer(status: u16, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let mut text = format!("HTTP/1.1 {status} Because\r\n");
    for header in headers {
        text.push_str(header);
        text.push_str("\r\n");
    }
    if status != 204 && status != 304 {
        let length = body.len().to_string();
        text.extend(["Content-Length: ", &length, "\r\n"]);
    }
    text.push_str("\r\n");
    [text.as_bytes(), body].concat()
}

/// What the server does after its bytes.
#[derive(Clone, Copy)]
enum Then {
    Stay,
    Close,
    SayNothing,
}

/// Answers each call with the bytes that a function makes.
pub struct Server {
    port: u16,
    connections: Arc<AtomicUsize>,
    received: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Keeps connections open.
    pub async fn start(respond: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::with(respond, Then::Stay).await
    }

    /// Closes the connection after its bytes.
    pub async fn closing(respond: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::with(respond, Then::Close).await
    }

    /// Accepts connections and says nothing.
    pub async fn silent() -> Self {
        Self::with(|_| Vec::new(), Then::SayNothing).await
    }

    async fn with(respond: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static, then: Then) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let connections = Arc::new(AtomicUsize::new(0));
        let received = Arc::new(Mutex::new(Vec::new()));
        let respond = Arc::new(respond);
        let task = tokio::spawn({
            let (connections, received) = (Arc::clone(&connections), Arc::clone(&received));
            async move {
                let mut open = Vec::new();
                while let Ok((stream, _)) = listener.accept().await {
                    connections.fetch_add(1, Ordering::SeqCst);
                    let (received, respond) = (Arc::clone(&received), Arc::clone(&respond));
                    open.push(AbortOnDrop(tokio::spawn(async move {
                        talk(stream, &received, respond.as_ref(), then).await;
                    })));
                }
            }
        });
        Self { port, connections, received, task }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Everything that came, one text for each call.
    pub fn received(&self) -> Vec<String> {
        self.received.lock().expect("no panic").clone()
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn talk(
    mut stream: TcpStream,
    received: &Mutex<Vec<String>>,
    respond: &(dyn Fn(&str) -> Vec<u8> + Send + Sync),
    then: Then,
) {
    loop {
        let Some(text) = read_call(&mut stream).await else { return };
        received.lock().expect("no panic").push(text.clone());
        if matches!(then, Then::SayNothing) {
            continue;
        }
        // The client may hang up before the end; that is its right.
        let _ = stream.write_all(&respond(&text)).await;
        if matches!(then, Then::Close) {
            let _ = stream.shutdown().await;
            return;
        }
    }
}

/// Reads a head and as much of a body as it announces; what is no HTTP as it comes.
async fn read_call(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let count = stream.read(&mut chunk).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&chunk[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if !text.starts_with(|c: char| c.is_ascii_uppercase()) {
            return Some(text);
        }
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head
            .to_lowercase()
            .lines()
            .find_map(|line| line.strip_prefix("content-length:").and_then(|value| value.trim().parse().ok()))
            .unwrap_or(0);
        if body.len() >= length {
            return Some(text);
        }
    }
}

/// A call to be made, ready for a test to change.
pub struct Wanted {
    pub call: Call,
    pub body: Option<Vec<u8>>,
    pub auth: Auth,
    pub credential: Option<Secret>,
    pub allowed_host: Option<String>,
    pub timeout: Duration,
    pub deadline: Option<Deadline>,
}

impl Wanted {
    pub fn put(server: &Server) -> Self {
        let headers = ["accept", "accept-encoding", "authorization", "content-type", "user-agent"];
        let body = serde_json::json!({ "a": 1 });
        Self {
            body: Some(body.to_string().into_bytes()),
            call: Call {
                method: Method::Put,
                url: server.url("/things/1"),
                headers: headers.map(str::to_owned).to_vec(),
                body: Some(body),
            },
            auth: Auth::Bearer,
            credential: Some(Secret::new("secret-token".to_owned())),
            allowed_host: Some("127.0.0.1".to_owned()),
            timeout: CALL_TIMEOUT,
            deadline: None,
        }
    }

    pub fn get(server: &Server) -> Self {
        let mut wanted = Self::put(server);
        wanted.call.method = Method::Get;
        wanted.call.headers.retain(|name| name != "content-type");
        wanted.call.body = None;
        Self { body: None, ..wanted }
    }

    pub fn outgoing(&self) -> Outgoing<'_> {
        Outgoing {
            call: &self.call,
            body: self.body.as_deref(),
            auth: &self.auth,
            credential: self.credential.as_ref(),
            idempotency_key: None,
            allowed_host: self.allowed_host.as_deref(),
            timeout: self.timeout,
            deadline: self.deadline,
            template: "/things/{id}",
        }
    }

    pub async fn send(&self) -> Reply {
        // Made once: reading the trusted certificates takes a while.
        static EXECUTOR: LazyLock<HttpExecutor> = LazyLock::new(HttpExecutor::new);
        EXECUTOR.send(self.outgoing()).await
    }

    pub async fn not_sent(&self) -> NotSentReason {
        match self.send().await {
            Reply::NotSent(reason) => reason,
            other => panic!("{}: {other:?}", self.call.url),
        }
    }

    pub async fn lost(&self) -> (LostReason, Option<u16>) {
        match self.send().await {
            Reply::Lost { reason, status, .. } => (reason, status),
            other => panic!("{other:?}"),
        }
    }
}
