//! A hand-written HTTP/1.1 client, because half of the tests send requests that libraries do not.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use super::TestApp;

const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Clone)]
pub struct Request {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

pub fn request(method: &str, target: &str) -> Request {
    Request {
        method: method.to_owned(),
        target: target.to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
    }
}

impl Request {
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn token(self, token: &str) -> Self {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub fn json(self, body: &serde_json::Value) -> Self {
        self.header("Content-Type", "application/json")
            .body(body.to_string())
    }

    pub fn content(&self) -> &[u8] {
        &self.body
    }

    pub fn head(&self) -> String {
        let mut head = format!(
            "{} {} HTTP/1.1\r\nHost: localhost\r\n",
            self.method, self.target
        );
        for (name, value) in &self.headers {
            head.extend([name, ": ", value, "\r\n"]);
        }
        let has = |name: &str| {
            self.headers
                .iter()
                .any(|(n, _)| n.eq_ignore_ascii_case(name))
        };
        let sized = has("Content-Length") || has("Transfer-Encoding");
        if !sized && (!self.body.is_empty() || matches!(self.method.as_str(), "PUT" | "POST")) {
            head.extend(["Content-Length: ", &self.body.len().to_string(), "\r\n"]);
        }
        head + "\r\n"
    }

    pub async fn send(&self, app: &TestApp) -> Response {
        app.connect().await.exchange(self).await
    }
}

pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub async fn open(address: SocketAddr) -> Self {
        Self {
            stream: TcpStream::connect(address).await.unwrap(),
            buffer: Vec::new(),
        }
    }

    pub fn peer(&self) -> SocketAddr {
        self.stream.peer_addr().unwrap()
    }

    pub async fn exchange(&mut self, request: &Request) -> Response {
        self.write(request.head().as_bytes()).await;
        self.write(&request.body).await;
        self.read(request.method == "HEAD").await
    }

    pub async fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    /// Writes until the server accepts no more. Returns whether it accepted everything.
    pub async fn try_write(&mut self, bytes: &[u8]) -> bool {
        matches!(
            timeout(PATIENCE, self.stream.write_all(bytes)).await,
            Ok(Ok(()))
        )
    }

    /// Closes the sending side.
    pub async fn end(&mut self) {
        self.stream.shutdown().await.unwrap();
    }

    pub async fn read(&mut self, to_head: bool) -> Response {
        loop {
            if let Some((response, length)) = parse(&self.buffer, to_head) {
                self.buffer.drain(..length);
                if response.status != 100 {
                    return response;
                }
            } else {
                let more = timeout(PATIENCE, self.stream.read_buf(&mut self.buffer)).await;
                let more = more.expect("no answer in time").expect("connection broken");
                assert_ne!(
                    more,
                    0,
                    "closed after {:?}",
                    String::from_utf8_lossy(&self.buffer)
                );
            }
        }
    }

    pub async fn gets_continue(&mut self) -> bool {
        const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
        while self.buffer.len() < CONTINUE.len() {
            let more = timeout(PATIENCE, self.stream.read_buf(&mut self.buffer)).await;
            assert_ne!(more.expect("nothing in time").unwrap(), 0, "closed");
        }
        let is_told = self.buffer == CONTINUE;
        if is_told {
            self.buffer.clear();
        }
        is_told
    }

    pub async fn rest(self) -> String {
        String::from_utf8(self.rest_of_bytes().await).unwrap()
    }

    /// Like [`rest`](Self::rest), for an answer that may be compressed.
    pub async fn rest_of_bytes(mut self) -> Vec<u8> {
        timeout(PATIENCE, self.stream.read_to_end(&mut self.buffer))
            .await
            .expect("not closed in time")
            .ok();
        self.buffer
    }

    /// Whether the server has closed the connection properly, and has sent no more.
    pub async fn is_closed(&mut self) -> bool {
        let more = timeout(PATIENCE, self.stream.read_buf(&mut self.buffer)).await;
        matches!(more, Ok(Ok(0)))
    }
}

#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self
            .headers
            .iter()
            .filter(|(n, _)| n.eq_ignore_ascii_case(name));
        let value = values.next();
        assert!(values.next().is_none(), "{name} twice");
        value.map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn json(&self) -> serde_json::Value {
        assert_eq!(
            self.header("Content-Type"),
            Some("application/json"),
            "{self:?}"
        );
        serde_json::from_slice(&self.body).unwrap()
    }

    pub fn message(&self) -> String {
        self.json()["message"].as_str().unwrap().to_owned()
    }
}

fn parse(buffer: &[u8], to_head: bool) -> Option<(Response, usize)> {
    let end = buffer.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&buffer[..end]).unwrap();
    let mut lines = head.trim_end().split("\r\n");
    let status: u16 = lines.next()?.split(' ').nth(1)?.parse().unwrap();
    let headers: Vec<(String, String)> = lines
        .map(|line| line.split_once(':').unwrap())
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        .collect();
    let header = |name: &str| {
        let mut found = headers.iter().filter(|(n, _)| n.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.as_str())
    };
    let (body, length) = if to_head {
        (Vec::new(), 0)
    } else if header("Transfer-Encoding") == Some("chunked") {
        unchunk(&buffer[end..])?
    } else {
        let length = header("Content-Length").map_or(0, |value| value.parse().unwrap());
        (buffer.get(end..end + length)?.to_vec(), length)
    };
    Some((
        Response {
            status,
            headers,
            body,
        },
        end + length,
    ))
}

fn unchunk(chunks: &[u8]) -> Option<(Vec<u8>, usize)> {
    let (mut body, mut at) = (Vec::new(), 0);
    loop {
        let line = chunks[at..].windows(2).position(|pair| pair == b"\r\n")?;
        let size = std::str::from_utf8(&chunks[at..at + line]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        at += line + 2;
        body.extend(chunks.get(at..at + size)?);
        chunks.get(at + size..at + size + 2)?;
        at += size + 2;
        if size == 0 {
            return Some((body, at));
        }
    }
}
