//! The time limits of connections. Slow connections must not delay others.

use std::{net::SocketAddr, num::NonZeroU32, time::Duration};

use access::Scope;
use adapters_http::Timeouts;
use kernel::Prefixes;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream, tcp::OwnedWriteHalf},
    time::{Instant, sleep, timeout},
};

use crate::support::{PATH, QUICK, TestApp, posting, push, put, request};

const SOON: Duration = Duration::from_secs(8);
const TICK: Duration = Duration::from_millis(50);

const HEALTHZ: &str = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

fn quick() -> TestApp {
    TestApp::spawn_with(|settings| settings.timeouts = QUICK)
}

async fn dribble(address: SocketAddr, first: &str, then: &[u8]) -> String {
    let (mut reader, mut writer) = TcpStream::connect(address).await.unwrap().into_split();
    writer.write_all(first.as_bytes()).await.unwrap();
    let then = then.to_vec();
    let sending = tokio::spawn(async move { send_slowly(&mut writer, &then).await });
    let mut answer = Vec::new();
    let ended = timeout(SOON, reader.read_to_end(&mut answer)).await;
    sending.abort();
    assert!(ended.is_ok(), "still open after {first:?}");
    String::from_utf8(answer).unwrap()
}

async fn send_slowly(writer: &mut OwnedWriteHalf, bytes: &[u8]) {
    for byte in bytes.iter().cycle() {
        if writer.write_all(&[*byte]).await.is_err() {
            return;
        }
        sleep(TICK).await;
    }
}

#[tokio::test]
async fn a_byte_now_and_then_keeps_no_connection() {
    let app = quick();
    let address = app.connect().await.peer();
    let put = format!("PUT {PATH}/x HTTP/1.1\r\nHost: x\r\n");
    let chunked = "Transfer-Encoding: chunked\r\n\r\n";
    for (first, then, status) in [
        ("GET /", &b"x"[..], "408"),
        (HEALTHZ, b"G", "200"),
        (&format!("{HEALTHZ}{HEALTHZ}"), b"GET /", "200"),
        (&format!("{put}{chunked}"), b"1\r\nx\r\n", "401"),
        (
            &format!("POST /nowhere HTTP/1.1\r\nHost: x\r\n{chunked}"),
            b"1\r\nx\r\n",
            "404",
        ),
        (&format!("{put}Content-Length: 100000\r\n\r\n"), b"x", "401"),
    ] {
        let answer = dribble(address, first, then).await;
        let expect = format!("HTTP/1.1 {status} ");
        assert!(answer.starts_with(&expect), "{first:?}: {answer}");
    }
}

/// An unread rest of a refused body ends the connection. The client may still send all of the body.
#[tokio::test]
async fn a_refused_body_holds_up_no_later_request() {
    let keep_alive = Duration::from_mins(1);
    let app = TestApp::spawn_with(|settings| {
        settings.timeouts = Timeouts {
            keep_alive,
            ..QUICK
        };
    });
    let token = app.writer().await;
    let (_, limited) = app
        .client(|client| client.requests_per_minute = NonZeroU32::new(1))
        .await;
    let (length, mebibyte) = ("Content-Length", (6 << 20).to_string());
    let body = format!("{}\n", " ".repeat(1023)).repeat(1 << 10);
    let typeless = |token: &str| request("PUT", &format!("{PATH}/x")).token(token);
    for (refused, status) in [
        (typeless("none"), 401),
        (typeless(&limited), 429),
        (typeless(&token), 415),
        (request("PATCH", PATH).token(&token), 405),
        (request("POST", "/nowhere"), 404),
        (request("POST", "/api/job-board/imports").token(&token), 413),
        (request("PATCH", "/oauth/token"), 405),
    ] {
        let chunked = refused.clone().header("Transfer-Encoding", "chunked");
        let chunk = format!("{:x}\r\n{body}\r\n", body.len());
        let sized = refused.header(length, &mebibyte);
        for (head, piece) in [(chunked.head(), &chunk), (sized.head(), &body)] {
            let started = Instant::now();
            let mut connection = app.connect().await;
            connection.write(head.as_bytes()).await;
            for _ in 0..6 {
                assert!(connection.try_write(piece.as_bytes()).await, "{head}");
            }
            let answer = connection.read(false).await;
            assert_eq!(answer.status, status, "{head}");
            assert_eq!(answer.header("Connection"), Some("close"), "{head}");
            connection.rest_of_bytes().await;
            assert!(started.elapsed() < SOON, "{head}");
        }
    }
}

#[tokio::test]
async fn the_admin_listener_has_the_same_deadlines() {
    let admin = crate::admin::spawn();
    let first = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let answer = dribble(admin.address, first, b"G").await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[tokio::test]
async fn a_busy_connection_is_kept_however_long_it_lasts() {
    let app = quick();
    let token = app.writer().await;
    let mut connection = app.connect().await;
    let (put, body) = (put(&token, "slow", &posting()), posting().to_string());
    let (head, half) = (put.head(), body.len() / 2);
    assert_eq!(connection.exchange(&put).await.status, 201);
    for _ in 0..2 {
        sleep(QUICK.keep_alive / 4).await;
        // The body takes longer than the time limit for a head.
        connection.write(head.as_bytes()).await;
        connection.write(&body.as_bytes()[..half]).await;
        sleep(QUICK.head + QUICK.keep_alive + TICK).await;
        connection.write(&body.as_bytes()[half..]).await;
        assert_eq!(connection.read(false).await.status, 200);
    }
}

#[tokio::test]
async fn a_client_that_takes_nothing_of_an_answer_is_left() {
    let app = quick();
    let token = app.writer().await;
    let mut large = posting();
    large["raw_description"] = "x".repeat(60_000).into();
    for n in 0..100 {
        push(&app, &token, &n.to_string(), &large).await;
    }
    let mut list = request("GET", &format!("{PATH}?limit=100"))
        .token(&token)
        .head();
    list = list.repeat(3);

    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stream = socket.connect(app.connect().await.peer()).await.unwrap();
    stream.write_all(list.as_bytes()).await.unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    let mut some = vec![0; 64 * 1024];
    for _ in 0..3 {
        sleep(QUICK.stalled_answer / 2).await;
        stream.read_exact(&mut some).await.unwrap();
    }
    sleep(4 * QUICK.stalled_answer).await;
    let mut rest = Vec::new();
    let ended = timeout(SOON, stream.read_to_end(&mut rest)).await;
    ended.expect("still open").ok();
    assert!(rest.len() < 15 << 20, "all was sent: {}", rest.len());
}

#[tokio::test]
async fn a_body_is_asked_for_only_when_it_is_wanted() {
    let app = quick();
    let token = app.writer().await;
    let reader = app.token(&[Scope::JobPostingsRead]).await;
    let (_, fenced) = app
        .client(|client| client.prefixes = Prefixes::new(&["a-"]).unwrap())
        .await;
    let body = posting().to_string();
    let head = |token: &str, (method, path): (&str, &str), kind: &str, length: usize| {
        let expecting = request(method, path)
            .token(token)
            .header("Content-Type", kind);
        let expecting = expecting.header("Content-Length", &length.to_string());
        expecting.header("Expect", "100-continue").head()
    };
    let path = format!("{PATH}/x");
    let (put, import) = (("PUT", &*path), ("POST", "/api/job-board/imports"));
    let (json, lines) = ("application/json", "application/x-ndjson");
    for (head, status) in [
        (head("nonsense", put, json, 5), 401),
        (head(&reader, put, json, 5), 403),
        (head(&fenced, put, json, 5), 403),
        (head(&token, put, "text/plain", 5), 415),
        (head(&token, put, json, 10_000_000), 413),
        (head(&token, ("PUT", "/nowhere"), json, 5), 404),
        (head("nonsense", import, lines, 5), 401),
        (head(&reader, import, lines, 5), 403),
    ] {
        let mut connection = app.connect().await;
        connection.write(head.as_bytes()).await;
        let started = Instant::now();
        let answer = connection.rest().await;
        let expect = format!("HTTP/1.1 {status} ");
        assert!(answer.starts_with(&expect), "{head}: {answer}");
        // The server waits only for the linger time. It does not wait for a body that never comes.
        assert!(started.elapsed() < 2 * QUICK.linger, "{head}");
    }

    // Repeated, because the connection must stay usable after `100 Continue`.
    let mut connection = app.connect().await;
    for (to, kind, status) in [
        (put, json, 201),
        (put, json, 200),
        (import, lines, 200),
        (put, json, 200),
    ] {
        let head = head(&token, to, kind, body.len());
        connection.write(head.as_bytes()).await;
        assert!(connection.gets_continue().await);
        connection.write(body.as_bytes()).await;
        assert_eq!(connection.read(false).await.status, status);
    }
    // A client may send the body without waiting for `100 Continue`.
    let head = head(&token, put, json, body.len());
    connection.write(head.as_bytes()).await;
    connection.write(body.as_bytes()).await;
    assert_eq!(connection.read(false).await.status, 200);
}

#[tokio::test]
async fn what_is_no_request_is_refused_like_any_other() {
    let app = quick();
    let large = format!(
        "GET / HTTP/1.1\r\nHost: x\r\nx: {}\r\n\r\n",
        "x".repeat(200_000)
    );
    for (sent, status, message) in [
        ("nonsense\r\n\r\n", 400, "not well-formed"),
        (
            "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
            400,
            "not well-formed",
        ),
        ("GET /", 408, "did not arrive in time"),
        (&large, 431, "too large"),
    ] {
        let mut connection = app.connect().await;
        connection.try_write(sent.as_bytes()).await;
        let answer = connection.read(false).await;
        assert_eq!(answer.status, status, "{sent:.50}");
        assert!(answer.message().contains(message), "{answer:?}");
        assert_eq!(answer.header("X-Request-Id").map(str::len), Some(36));
        assert!(
            sent.len() > 1_000 || connection.is_closed().await,
            "{sent:.50}"
        );
    }
    // The same applies after the answer of a handler.
    let mut connection = app.connect().await;
    let health = connection.exchange(&request("GET", "/healthz")).await;
    assert_eq!(health.status, 200);
    connection.write(b"nonsense\r\n\r\n").await;
    let answer = connection.read(false).await;
    assert!(answer.message().contains("not well-formed"), "{answer:?}");
}

#[tokio::test]
async fn strangers_may_send_little_and_not_for_long() {
    let app = quick();
    let form = "application/x-www-form-urlencoded";
    let confirm = |length: usize| {
        request("POST", "/newsletter/confirm-migration")
            .header("Content-Type", form)
            .header("Content-Length", &length.to_string())
            .head()
    };
    let webhook = |length: usize| {
        request("POST", "/api/webhooks/newsletter/update-subscriber-status")
            .header("Signature", &"0".repeat(64))
            .header("Content-Length", &length.to_string())
            .head()
    };
    for (head, status) in [
        (confirm(4 * 1024 + 1), 413),
        (confirm(4 * 1024), 408),
        (webhook(1024), 408),
    ] {
        let mut connection = app.connect().await;
        connection.write(head.as_bytes()).await;
        assert_eq!(connection.read(false).await.status, status, "{head}");
    }
}
