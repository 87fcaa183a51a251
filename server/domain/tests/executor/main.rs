//! The HTTP client against servers that misbehave.
//!
//! The servers speak over plain sockets, so that a test says exactly which
//! bytes come when, and sees exactly which bytes were sent.

mod support;

use std::io::Write as _;
use std::time::{Duration, Instant};

use domain::connector::executor::{Deadline, Executor as _, HttpExecutor, LostReason, NotSentReason, Reply};
use domain::connector::manifest::Auth;
use domain::connector::secret::Secret;

use support::{Server, Wanted, answer};

#[tokio::test]
async fn an_answer_comes_whole() {
    let server = Server::start(|_| answer(201, &["ETag: \"7\"", "X-Twice: a", "X-Twice: b"], b"{\"id\":1}")).await;
    let Reply::Answered(found) = Wanted::put(&server).send().await else { panic!("no answer") };
    assert_eq!((found.status, found.body.as_slice(), found.truncated), (201, b"{\"id\":1}".as_slice(), false));
    assert_eq!((found.header("etag"), found.header("x-twice")), (Some("\"7\""), Some("a")));
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn exactly_the_listed_headers_and_bytes_are_sent() {
    let server = Server::start(|_| answer(200, &[], b"{}")).await;
    Wanted::put(&server).send().await;
    let received = server.received().remove(0);
    let (head, body) = received.split_once("\r\n\r\n").expect("a head");
    assert!(head.starts_with("PUT /things/1 HTTP/1.1\r\n"), "{head}");
    assert_eq!(body, "{\"a\":1}");
    let mut names: Vec<String> =
        head.lines().skip(1).filter_map(|line| line.split_once(':')).map(|(name, _)| name.to_lowercase()).collect();
    names.sort();
    assert_eq!(
        names,
        ["accept", "accept-encoding", "authorization", "content-length", "content-type", "host", "user-agent"]
    );
    assert!(head.to_lowercase().contains("authorization: bearer secret-token"));
    assert!(head.to_lowercase().contains("accept-encoding: identity"));
}

#[tokio::test]
async fn a_call_whose_headers_are_not_those_that_were_shown_is_not_sent() {
    let server = Server::start(|_| answer(200, &[], b"{}")).await;
    let mut wanted = Wanted::put(&server);
    wanted.call.headers.push("x-more".to_owned());
    assert_eq!(wanted.not_sent().await, NotSentReason::Invalid);
    let mut wanted = Wanted::put(&server);
    wanted.credential = None;
    assert_eq!(wanted.not_sent().await, NotSentReason::Invalid);
    let mut wanted = Wanted::put(&server);
    wanted.credential = Some(Secret::new("a\r\nX-Evil: 1".to_owned()));
    assert_eq!(wanted.not_sent().await, NotSentReason::Invalid);
    let mut wanted = Wanted::put(&server);
    wanted.body = None;
    assert_eq!(wanted.not_sent().await, NotSentReason::Invalid);
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn credentials_go_where_the_manifest_says() {
    for (auth, names, expected) in [
        (Auth::Basic, "authorization", "authorization: basic c2vjcmv0lxrva2vu"),
        (Auth::Header("x-api-key".to_owned()), "x-api-key", "x-api-key: secret-token"),
    ] {
        let server = Server::start(|_| answer(200, &[], b"{}")).await;
        let mut wanted = Wanted::put(&server);
        wanted.auth = auth;
        wanted.call.headers.retain(|name| name != "authorization");
        wanted.call.headers.push(names.to_owned());
        wanted.call.headers.sort();
        assert_eq!(wanted.send().await.status(), Some(200));
        assert!(server.received()[0].to_lowercase().contains(expected));
    }
}

#[tokio::test]
async fn no_answer_in_time_is_lost() {
    let server = Server::start(|_| Vec::new()).await;
    let mut wanted = Wanted::put(&server);
    wanted.timeout = Duration::from_millis(200);
    let started = Instant::now();
    assert_eq!(wanted.lost().await, (LostReason::Timeout, None));
    assert!(started.elapsed() < Duration::from_secs(3));
}

#[tokio::test]
async fn an_answer_that_stops_in_the_middle_is_lost() {
    let server = Server::start(|_| b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".to_vec()).await;
    let mut wanted = Wanted::put(&server);
    wanted.timeout = Duration::from_millis(300);
    assert_eq!(wanted.lost().await, (LostReason::Timeout, Some(200)));

    let server = Server::closing(|_| b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".to_vec()).await;
    assert_eq!(Wanted::put(&server).lost().await, (LostReason::Reset, Some(200)));
}

#[tokio::test]
async fn a_connection_that_breaks_is_lost_and_not_tried_again() {
    let server = Server::closing(|_| Vec::new()).await;
    assert_eq!(Wanted::put(&server).lost().await, (LostReason::Reset, None));
    assert_eq!(server.received().len(), 1);
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn what_is_no_http_is_lost() {
    let server = Server::closing(|_| b"SSH-2.0-OpenSSH_9.2\r\n".to_vec()).await;
    assert_eq!(Wanted::put(&server).lost().await.0, LostReason::Malformed);
    let server = Server::closing(|_| answer(200, &[&format!("X-Long: {}", "a".repeat(2_000_000))], b"")).await;
    assert_eq!(Wanted::put(&server).lost().await.0, LostReason::Malformed);
}

#[tokio::test]
async fn refused_connections_send_nothing() {
    let server = Server::start(|_| answer(200, &[], b"")).await;
    let mut wanted = Wanted::put(&server);
    // Nobody listens at the port of a server that is gone.
    drop(server);
    wanted.timeout = Duration::from_secs(5);
    assert_eq!(wanted.not_sent().await, NotSentReason::Connect);
}

#[tokio::test]
async fn redirects_are_answers() {
    for status in [301, 302, 303, 307, 308] {
        let elsewhere = Server::start(|_| answer(200, &[], b"{}")).await;
        let location = format!("Location: {}", elsewhere.url("/things/1"));
        let server = Server::start(move |_| answer(status, &[&location], b"")).await;
        for wanted in [Wanted::put(&server), Wanted::get(&server)] {
            assert_eq!(wanted.send().await.status(), Some(status));
        }
        assert!(elsewhere.received().is_empty());
    }
}

#[tokio::test]
async fn statuses_are_handed_on_as_they_are() {
    for status in (200..600).step_by(1).filter(|status| status % 100 < 30 || status % 100 == 99) {
        let server = Server::start(move |_| answer(status, &[], b"")).await;
        assert_eq!(Wanted::put(&server).send().await.status(), Some(status));
    }
}

#[tokio::test]
async fn private_addresses_are_refused_unless_the_host_is_allowed_by_name() {
    let server = Server::start(|_| answer(200, &[], b"{}")).await;
    let port = server.port();
    for host in [
        "127.0.0.1",
        "localhost",
        "LOCALHOST",
        "127.1",
        "0x7f000001",
        "2130706433",
        "017700000001",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
        "10.0.0.1",
        "169.254.169.254",
        "[fe80::1]",
        "[64:ff9b::7f00:1]",
        "100.64.0.1",
    ] {
        let url = url::Url::parse(&format!("http://{host}:{port}/things/1")).expect(host);
        for allowed in [None, Some("example.com"), Some("localhost.example.com"), Some("")] {
            let mut wanted = Wanted::put(&server);
            wanted.call.url = url.to_string();
            wanted.allowed_host = allowed.map(str::to_owned);
            assert_eq!(wanted.not_sent().await, NotSentReason::AddressRefused, "{host} {allowed:?}");
        }
    }
    assert_eq!(server.connections(), 0);
    for (host, allowed) in
        [("127.0.0.1", "127.0.0.1"), ("localhost", "localhost"), ("localhost", "LocalHost."), ("127.1", "127.0.0.1")]
    {
        let mut wanted = Wanted::put(&server);
        wanted.call.url = url::Url::parse(&format!("http://{host}:{port}/things/1")).expect(host).to_string();
        wanted.allowed_host = Some(allowed.to_owned());
        assert_eq!(wanted.send().await.status(), Some(200), "{host}");
    }
}

#[tokio::test]
async fn other_addresses_are_no_calls() {
    let server = Server::start(|_| answer(200, &[], b"{}")).await;
    for url in [
        "ftp://127.0.0.1/",
        "file:///etc/passwd",
        "http://user@127.0.0.1/",
        "http://user:pass@127.0.0.1/",
        "nonsense",
        "",
    ] {
        let mut wanted = Wanted::put(&server);
        url.clone_into(&mut wanted.call.url);
        assert_eq!(wanted.not_sent().await, NotSentReason::Invalid, "{url}");
    }
    let mut wanted = Wanted::put(&server);
    "http://no-such-host.invalid/".clone_into(&mut wanted.call.url);
    wanted.timeout = Duration::from_secs(30);
    assert_eq!(wanted.not_sent().await, NotSentReason::Dns);
}

#[tokio::test]
async fn tls_that_proves_nothing_sends_nothing() {
    let server = Server::closing(|_| b"this is no TLS at all".to_vec()).await;
    let mut wanted = Wanted::put(&server);
    wanted.call.url = wanted.call.url.replace("http://", "https://");
    assert_eq!(wanted.not_sent().await, NotSentReason::Tls);
}

#[tokio::test]
async fn a_large_body_is_cut_and_the_status_stands() {
    let server = Server::closing(|_| answer(200, &[], &vec![b'a'; 9 * 1024 * 1024])).await;
    let Reply::Answered(found) = Wanted::get(&server).send().await else { panic!("no answer") };
    assert_eq!((found.status, found.body.len(), found.truncated), (200, 8 * 1024 * 1024, true));
}

#[tokio::test]
async fn a_body_without_end_is_cut() {
    let server = Server::closing(|_| {
        let mut bytes = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        for _ in 0..200 {
            bytes.extend_from_slice(b"10000\r\n");
            bytes.extend(std::iter::repeat_n(b'a', 0x10000));
            bytes.extend_from_slice(b"\r\n");
        }
        bytes
    })
    .await;
    let Reply::Answered(found) = Wanted::get(&server).send().await else { panic!("no answer") };
    assert_eq!((found.body.len(), found.truncated), (8 * 1024 * 1024, true));
}

#[tokio::test]
async fn what_inflates_without_end_is_cut() {
    let server = Server::closing(|_| answer(200, &["Content-Encoding: gzip"], &gzip(&vec![0; 64 * 1024 * 1024]))).await;
    let Reply::Answered(found) = Wanted::get(&server).send().await else { panic!("no answer") };
    assert_eq!((found.status, found.body.len(), found.truncated), (200, 8 * 1024 * 1024, true));
}

#[tokio::test]
async fn a_packed_body_is_read_although_it_was_not_asked_for() {
    let server = Server::start(|_| answer(200, &["Content-Encoding: gzip"], &gzip(b"{\"id\":1}"))).await;
    let Reply::Answered(found) = Wanted::get(&server).send().await else { panic!("no answer") };
    assert_eq!((found.body.as_slice(), found.truncated), (b"{\"id\":1}".as_slice(), false));
    let server = Server::start(|_| answer(200, &["Content-Encoding: br"], b"\x8b\x03\x80")).await;
    let Reply::Answered(found) = Wanted::get(&server).send().await else { panic!("no answer") };
    assert_eq!((found.body.len(), found.truncated), (0, true));
}

#[tokio::test]
async fn past_the_deadline_nothing_is_sent() {
    let server = Server::start(|_| answer(200, &[], b"{}")).await;
    let mut wanted = Wanted::put(&server);
    wanted.deadline = Some(Deadline::after(Duration::ZERO));
    assert_eq!(wanted.not_sent().await, NotSentReason::Deadline);
    assert_eq!(server.connections(), 0);
    let mut wanted = Wanted::put(&server);
    wanted.deadline = Some(Deadline::after(Duration::from_mins(1)));
    assert_eq!(wanted.send().await.status(), Some(200));
}

#[tokio::test]
async fn a_deadline_that_passes_while_connecting_keeps_the_gate_shut() {
    // The handshake of TLS waits for a server that says nothing.
    let server = Server::silent().await;
    let mut wanted = Wanted::put(&server);
    wanted.call.url = wanted.call.url.replace("http://", "https://");
    wanted.timeout = Duration::from_millis(300);
    assert_eq!(wanted.not_sent().await, NotSentReason::Connect);
    assert!(!server.received().iter().any(|text| text.contains("things")));
}

#[tokio::test]
async fn a_credential_that_comes_back_is_not_handed_on() {
    let server =
        Server::start(|_| answer(400, &["X-Echo: Bearer secret-token"], b"{\"message\":\"bad key secret-token\"}"))
            .await;
    let Reply::Answered(found) = Wanted::put(&server).send().await else { panic!("no answer") };
    assert!(!String::from_utf8_lossy(&found.body).contains("secret-token"));
    assert_eq!(found.header("x-echo"), Some("Bearer [credential]"));
}

#[tokio::test]
async fn no_two_calls_share_a_connection() {
    let server = Server::start(|_| answer(200, &[], b"{}")).await;
    let executor = HttpExecutor::new();
    for _ in 0..3 {
        let wanted = Wanted::put(&server);
        assert_eq!(executor.send(wanted.outgoing()).await.status(), Some(200));
    }
    assert_eq!(server.connections(), 3);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}
